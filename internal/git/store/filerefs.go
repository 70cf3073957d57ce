package store

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"entire/internal/durable"
	"entire/internal/git/object"
)

// refsMax bounds the size of a packed-refs file that is read here; git maps larger files.
const refsMax = 1 << 20

// fileRefs is [Repo.Refs] for folders of refs that all worktrees share, read from the ref files. An error
// means that git must be asked: for all refs, a pattern, a symbolic or broken ref, or too many refs. It
// must not if the error is durable.ErrNoFile.
func (r *Repo) fileRefs(prefixes ...string) (refs []Ref, err error) {
	if len(prefixes) == 0 {
		return nil, errNotPlain
	}
	for _, prefix := range prefixes {
		pattern := strings.ContainsAny(prefix, `*?[\`)
		if pattern || !slices.ContainsFunc(sharedRefs, func(folder string) bool { return strings.HasPrefix(prefix, folder) }) {
			return nil, errNotPlain
		}
	}
	// As git does, packed refs come last: a ref that is packed meanwhile would be in neither place.
	found := map[string]object.OID{}
	for _, prefix := range prefixes {
		if err := r.looseRefs(prefix, found); err != nil {
			return nil, err
		}
	}
	if !r.addPacked(prefixes, found) {
		return nil, errNotPlain
	}
	for _, name := range slices.Sorted(maps.Keys(found)) {
		refs = append(refs, Ref{Name: name, OID: found[name]})
	}
	return refs, nil
}

// checkRefFile returns durable.ErrNoFile if the place of a ref has what git would wait for, or read for ever: a pipe, a
// device, or a file that is far too long.
func (r *Repo) checkRefFile(name string) error {
	fi, err := os.Stat(filepath.Join(r.CommonDir, filepath.FromSlash(name)))
	if err != nil || fi.IsDir() || fi.Mode().IsRegular() && fi.Size() <= maxPathFile {
		return nil
	}
	return fmt.Errorf("%s: %w", name, durable.ErrNoFile)
}

// looseRefs adds to found the refs below prefix that have a file of their own.
func (r *Repo) looseRefs(prefix string, found map[string]object.OID) error {
	folder := filepath.FromSlash(prefix[:strings.LastIndexByte(prefix, '/')])
	return filepath.WalkDir(filepath.Join(r.CommonDir, folder), func(path string, d fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil
		case err != nil || d.IsDir() || strings.HasSuffix(path, ".lock"):
			return err
		}
		rel, err := filepath.Rel(r.CommonDir, path)
		name := filepath.ToSlash(rel)
		if err != nil || !isBelow(name, prefix) {
			return err
		}
		if err := r.checkRefFile(name); err != nil {
			return err
		}
		oid, there, ok := r.fileRef(name)
		if !ok || !there || ValidRef(name) != nil {
			return errNotPlain
		}
		found[name] = oid
		return nil
	})
}

// isBelow reports whether a ref is prefix or in the folder of that name.
func isBelow(name, prefix string) bool {
	rest, ok := strings.CutPrefix(name, strings.TrimSuffix(prefix, "/"))
	return ok && (rest == "" && !strings.HasSuffix(prefix, "/") || strings.HasPrefix(rest, "/"))
}

// errNotPlain ends a walk at a ref that only git can read.
var errNotPlain = errors.New("not a plain ref")

// addPacked adds to found the refs below prefixes that only packed-refs has.
func (r *Repo) addPacked(prefixes []string, found map[string]object.OID) bool {
	text, err := durable.Read(filepath.Join(r.CommonDir, packedRefsFile), refsMax)
	if err != nil {
		return errors.Is(err, fs.ErrNotExist)
	}
	for line := range strings.Lines(string(text)) {
		hex, name, isRef := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		if !isRef || !slices.ContainsFunc(prefixes, func(p string) bool { return isBelow(name, p) }) {
			continue
		}
		oid, err := object.ParseOID(hex)
		if err != nil {
			return false
		}
		if _, loose := found[name]; !loose {
			found[name] = oid
		}
	}
	return true
}
