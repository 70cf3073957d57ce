package store

import (
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"entire/internal/git/object"
)

// refsMax bounds the size of a packed-refs file that is read here; git maps larger files.
const refsMax = 1 << 20

// fileRefs is [Repo.Refs] for folders of refs that all worktrees share, read from the ref
// files. ok is false if git must be asked: for all refs, a pattern, a symbolic or broken ref, or
// too many refs.
func (r *Repo) fileRefs(prefixes ...string) (refs []Ref, ok bool) {
	if len(prefixes) == 0 {
		return nil, false
	}
	for _, prefix := range prefixes {
		pattern := strings.ContainsAny(prefix, `*?[\`)
		if pattern || !slices.ContainsFunc(sharedRefs, func(folder string) bool { return strings.HasPrefix(prefix, folder) }) {
			return nil, false
		}
	}
	found, ok := r.packedRefs(prefixes)
	if !ok {
		return nil, false
	}
	for _, prefix := range prefixes {
		if r.looseRefs(prefix, found) != nil {
			return nil, false
		}
	}
	for _, name := range slices.Sorted(maps.Keys(found)) {
		refs = append(refs, Ref{Name: name, OID: found[name]})
	}
	return refs, true
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

// packedRefs returns the refs in packed-refs below prefixes.
func (r *Repo) packedRefs(prefixes []string) (found map[string]object.OID, ok bool) {
	found = map[string]object.OID{}
	path := filepath.Join(r.CommonDir, "packed-refs")
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return found, true
	}
	if err != nil || info.Size() > refsMax {
		return nil, false
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, false
	}
	for line := range strings.Lines(string(text)) {
		hex, name, isRef := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		if !isRef || !slices.ContainsFunc(prefixes, func(p string) bool { return isBelow(name, p) }) {
			continue
		}
		oid, err := object.ParseOID(hex)
		if err != nil {
			return nil, false
		}
		found[name] = oid
	}
	return found, true
}
