package store

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"entire/internal/durable"
	"entire/internal/git/object"
)

// natively resolves a spec from the repository's own files. ok is false if git must be
// asked: for unknown forms of names, and for everything that was not found or not
// understood. An Object without Type means that the name certainly names nothing.
func (rd *Reader) natively(spec string) (o object.Object, ok bool) {
	if rd.files == nil {
		return object.Object{}, false
	}
	base, rest := splitSpec(spec)
	if rd.limit > 0 && rest != "" {
		return object.Object{}, false // objects on the path to it may be large, too
	}
	oid, found, ok := rd.base(base)
	if !ok || !found {
		return object.Object{}, ok
	}
	switch rest {
	case "":
		return rd.object(oid)
	case "^{commit}":
		o, ok = rd.object(oid)
		return o, ok && o.Type == "commit"
	}
	c, ok := rd.object(oid)
	switch {
	case ok && c.Type == "tree" && rest[0] == ':':
		return rd.below(oid, rest[1:])
	case !ok || c.Type != "commit":
		return object.Object{}, false
	case rest == "^{tree}":
		oid = headerOID(c.Data, "tree ")
		return rd.object(oid)
	case rest[0] == '~':
		return rd.ancestor(c, rest[1:])
	case rest[0] == ':':
		return rd.below(headerOID(c.Data, "tree "), rest[1:])
	}
	return object.Object{}, false
}

// splitSpec splits a spec into a name and its suffix.
func splitSpec(spec string) (base, rest string) {
	if i := strings.IndexAny(spec, "^~:"); i >= 0 {
		return spec[:i], spec[i:]
	}
	return spec, ""
}

// sharedRefs are folders of refs that all worktrees of a repository share.
var sharedRefs = []string{"refs/heads/", "refs/remotes/", "refs/entire/"}

// base resolves a full object ID, HEAD or a full ref name. found is false for a ref that
// does not exist.
func (rd *Reader) base(name string) (oid object.OID, found, ok bool) {
	if len(name) == 40 {
		if oid, err := object.ParseOID(name); err == nil && !oid.IsZero() {
			return oid, true, true
		}
	}
	if name == "HEAD" {
		oid, ok := rd.repo.HeadInFiles()
		return oid, ok, ok
	}
	if ValidRef(name) != nil || !slices.ContainsFunc(sharedRefs, func(folder string) bool { return strings.HasPrefix(name, folder) }) {
		return object.OID{}, false, false
	}
	return rd.repo.fileRef(name)
}

// fileRef reads a ref that is not symbolic. ok is false if only git can read it.
func (r *Repo) fileRef(name string) (oid object.OID, found, ok bool) {
	file := filepath.Join(r.CommonDir, filepath.FromSlash(name))
	text, err := durable.Read(file, maxPathFile)
	if err == nil {
		oid, err = object.ParseOID(strings.TrimRight(string(text), "\r\n"))
		return oid, true, err == nil && !oid.IsZero()
	}
	if !mayBePacked(file, err) {
		return object.OID{}, false, false
	}
	oid, found, ok = r.packedRef(name)
	return oid, found, ok && (found || errors.Is(err, fs.ErrNotExist))
}

// packedRef returns a ref from packed-refs. ok is false if only git can read that.
func (r *Repo) packedRef(name string) (oid object.OID, found, ok bool) {
	packed, err := durable.ReadOwn(filepath.Join(r.CommonDir, packedRefsFile))
	if err != nil {
		return object.OID{}, false, errors.Is(err, fs.ErrNotExist)
	}
	end := []byte(" " + name + "\n")
	for rest := packed; ; {
		i := bytes.Index(rest, end)
		if i < 0 {
			return object.OID{}, false, true
		}
		if i >= 40 && (i == 40 || rest[i-41] == '\n') {
			oid, err := object.ParseOID(string(rest[i-40 : i]))
			return oid, true, err == nil && !oid.IsZero()
		}
		rest = rest[i+1:]
	}
}

// mayBePacked reports whether a ref whose file cannot be read may have its value in packed-refs: there is no such file,
// or a folder is in its place. A file that this user may not read has a newer value than packed-refs.
func mayBePacked(file string, err error) bool {
	if errors.Is(err, fs.ErrNotExist) {
		return true
	}
	fi, err := os.Lstat(file)
	return err == nil && fi.IsDir()
}

// object reads one object and caches it.
func (rd *Reader) object(oid object.OID) (object.Object, bool) {
	if oid.IsZero() {
		return object.Object{}, false
	}
	if o, ok := rd.knownOID(oid); ok {
		return o, true
	}
	if rd.files == nil {
		return object.Object{}, false
	}
	o, err := rd.files.Read(oid, rd.limit)
	if err != nil {
		return object.Object{}, false
	}
	rd.kept.add(o)
	return o, true
}

// ancestor follows first parents. In a shallow or grafted history, git is asked.
func (rd *Reader) ancestor(c object.Object, count string) (object.Object, bool) {
	n, err := strconv.Atoi(count)
	if err != nil || n < 0 || rd.grafted() {
		return object.Object{}, false
	}
	for range n {
		parent := headerOID(c.Data, "parent ")
		if parent.IsZero() {
			return object.Object{}, true
		}
		var ok bool
		if c, ok = rd.object(parent); !ok || c.Type != "commit" {
			return object.Object{}, false
		}
	}
	return c, true
}

// grafted caches the answer for each round of requests.
func (rd *Reader) grafted() bool {
	if rd.graft == nil {
		is := rd.repo.Grafted()
		rd.graft = &is
	}
	return *rd.graft
}

// Grafted reports whether commits may have parents that differ from those in the object: the history has grafts, or
// an edge beyond which a shallow clone has no commits.
func (r *Repo) Grafted() bool {
	for _, name := range []string{"shallow", filepath.Join("info", "grafts")} {
		if _, err := os.Lstat(filepath.Join(r.CommonDir, name)); !errors.Is(err, fs.ErrNotExist) {
			return true
		}
	}
	return false
}

// below returns the entry of a path in a tree.
func (rd *Reader) below(tree object.OID, path string) (object.Object, bool) {
	if path == "" || strings.HasPrefix(path, ".") || strings.HasSuffix(path, "/") || strings.Contains(path, "//") {
		return object.Object{}, false
	}
	o, ok := rd.object(tree)
	for _, name := range strings.Split(path, "/") {
		if !ok {
			return object.Object{}, false
		}
		if o.Type != "tree" {
			return object.Object{}, true
		}
		entries, err := object.ParseTree(o.Data, 20)
		if err != nil {
			return object.Object{}, false
		}
		i := indexOf(entries, name)
		if i < 0 {
			return object.Object{}, true
		}
		if entries[i].Mode == object.ModeGitlink {
			return object.Object{}, false
		}
		o, ok = rd.object(entries[i].OID)
	}
	return o, ok
}

// headerOID returns the ID in the first header of a commit with this name; headers with
// IDs come before all others.
func headerOID(commit []byte, name string) object.OID {
	for len(commit) > 0 && (bytes.HasPrefix(commit, []byte("tree ")) || bytes.HasPrefix(commit, []byte("parent "))) {
		line, rest, _ := bytes.Cut(commit, []byte{'\n'})
		if value, ok := bytes.CutPrefix(line, []byte(name)); ok {
			oid, _ := object.ParseOID(string(value))
			return oid
		}
		commit = rest
	}
	return object.OID{}
}
