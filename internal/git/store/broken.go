package store

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"sync"

	"entire/internal/git/object"
)

// MayBeBroken reports whether a ref names an object that is not among the repository's
// files. Only where refs are in tables it asks git; it returns false if only git can answer
// for another reason.
func (r *Repo) MayBeBroken(ctx context.Context, ref string) bool {
	rd := r.Reader(ctx)
	if rd.files == nil {
		return r.InTables() && r.brokenInTables(ctx, ref)
	}
	oid, found, ok := r.fileRef(ref)
	if !ok || !found {
		return false
	}
	if fi, err := os.Lstat(r.loosePath(oid)); err == nil && fi.Size() > 0 {
		return false
	}
	_, ok = rd.object(oid)
	return !ok
}

// brokenInTables reports whether a ref in tables is there, and its commit is not.
func (r *Repo) brokenInTables(ctx context.Context, ref string) bool {
	_, whole, err := r.Reader(ctx).CommitOf(ref)
	if err != nil || whole {
		return false
	}
	_, there, err := r.Ref(ctx, ref)
	return err == nil && there
}

// pruned reports whether an object that git wrote or found is now neither a loose file nor
// in a pack. It never starts git, and returns false if only git can answer.
func (r *Repo) pruned(path string) bool {
	files := object.NewObjectFiles(r.objects, r.Ordinary)
	oid, err := object.ParseOID(filepath.Base(filepath.Dir(path)) + filepath.Base(path))
	if files == nil || err != nil || files.List() != nil || files.Many {
		return false
	}
	defer files.Close()
	for _, p := range files.Packs {
		if _, found := p.Find(oid); found {
			return false
		}
	}
	_, err = os.Lstat(path) // an object that was in a pack may be loose by now
	return errors.Is(err, fs.ErrNotExist)
}

// IsPartial reports whether the repository is a partial clone: git left objects at the remote that promised them, and
// fetches each when it is first needed.
func (r *Repo) IsPartial() bool {
	files, err := os.ReadDir(filepath.Join(r.CommonDir, "objects", "pack"))
	return err == nil && slices.ContainsFunc(files, func(f os.DirEntry) bool { return filepath.Ext(f.Name()) == ".promisor" })
}

// Lost returns an object that is missing and needed by the given objects or by what they
// reach; zero if there is none apart from those that HEAD needs, too. Objects that a
// partial clone may fetch later are not lost. Any other failure of git is an error.
func (r *Repo) Lost(ctx context.Context, oids ...object.OID) (object.OID, error) {
	args := []string{"rev-list", "--objects", "--quiet"}
	if r.IsPartial() { // otherwise git 2.55 would pass over an object that a power cut left empty
		args = append(args, "--missing=allow-promisor")
	}
	var names []string
	for _, oid := range oids {
		names = append(names, oid.String())
	}
	// Newer versions of git (2.55, not 2.39) pass over a missing object that they are asked to begin at.
	objs, err := r.Reader(ctx).Objects(names...)
	if err != nil {
		return object.OID{}, err
	}
	if i := slices.IndexFunc(objs, func(o object.Object) bool { return o.Type == "" }); i >= 0 {
		return oids[i], nil
	}
	args = append(args, names...)
	if _, born, err := r.Reader(ctx).CommitOf("HEAD"); err == nil && born {
		args = append(args, "--not", "HEAD")
	}
	_, err = r.Run(ctx, append(args, "--")...)
	if err == nil {
		return object.OID{}, nil
	}
	said := err.Error()
	if exit := (*ExitError)(nil); errors.As(err, &exit) {
		said = exit.Stderr // the line before the last one names the object, if the walk could not begin
	}
	for _, name := range hexName().FindAllString(said, -1) {
		if objs, rerr := r.Reader(ctx).Objects(name); rerr == nil && objs[0].Type == "" {
			return object.ParseOID(name)
		}
	}
	return object.OID{}, err
}

// hexName matches object names in git's error messages.
var hexName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\b(?:[0-9a-f]{64}|[0-9a-f]{40})\b`) })
