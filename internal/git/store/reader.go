package store

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"

	"entire/internal/git/object"
)

// Reader reads objects: natively if the repository is of the ordinary kind, and through
// one `git cat-file --batch` process otherwise, or if an object was not found natively. It
// sees objects that a [Writer] of the same Repo has not made durable yet. It caches small
// objects, so callers must not change what it returns. It is not safe for concurrent use.
type Reader struct {
	repo   *Repo
	ctx    context.Context
	cmd    *exec.Cmd
	stdin  io.WriteCloser
	out    *bufio.Reader
	stderr *bytes.Buffer
	files  *object.Files // nil if only git can read
	kept   kept
	asked  int   // the number of objects read so far
	graft  *bool // see grafted; nil until needed
	limit  int64 // the size in bytes above which an object's data is left out; 0 for none
}

// nativeObjects bounds how many objects are read natively in one round; ten times as many
// are in total. For more, git's process is faster, and once it runs it is faster for every
// object.
const nativeObjects = 20

// Reader returns the Repo's reader. The process starts when it is first needed and lives
// until the Repo is closed or the ctx of its first use is done; the next call with a live
// ctx starts another one.
func (r *Repo) Reader(ctx context.Context) *Reader {
	switch {
	case r.reader == nil:
		r.reader = &Reader{repo: r, ctx: ctx, files: object.NewObjectFiles(r.objects, r.Ordinary)}
	case r.reader.ctx.Err() != nil:
		_, _ = r.reader.stop()
		r.reader.ctx = ctx
	}
	return r.reader
}

// StopReader ends the reader's process. The next one begins with the environment that the Repo has then.
func (r *Repo) StopReader() {
	if r.reader != nil {
		_, _ = r.reader.stop()
	}
}

// Object reads the object that spec names: an object ID, a ref, `HEAD^{tree}`,
// `<ref>:<path>`. It returns [object.ErrMissing] if there is none.
func (rd *Reader) Object(spec string) (object.Object, error) {
	objs, err := rd.Objects(spec)
	if err != nil {
		return object.Object{}, err
	}
	if objs[0].Type == "" {
		return object.Object{}, fmt.Errorf("read %s: %w", object.Clip(spec), object.ErrMissing)
	}
	return objs[0], nil
}

// Objects reads several objects in one round trip, in the requested order. An object that
// does not exist has an empty Type. A spec with a newline is an error. Sealed blobs are opened, and
// texts take the place of blobs that stand for them; where that cannot be done there is no data, and
// Sealed says why.
func (rd *Reader) Objects(specs ...string) ([]object.Object, error) {
	objs, err := rd.Raw(specs...)
	if err != nil {
		return objs, err
	}
	limit := rd.limit
	rd.limit = 0 // the Opener may read a key
	defer func() { rd.limit = limit }()
	var away []*object.Object
	for i := range objs {
		o := &objs[i]
		switch {
		case o.Type != "blob":
		case rd.repo.BodyReader != nil && rd.repo.BodyReader.Is(o.Data):
			away = append(away, o)
		case rd.repo.Opener != nil:
			o.Data, o.Sealed = rd.repo.Opener(rd.ctx, o.Data)
		}
	}
	if len(away) > 0 {
		rd.repo.BodyReader.Fill(rd.ctx, away, limit)
	}
	return objs, nil
}

// Open opens data that was sealed, and returns other data as it is.
func (rd *Reader) Open(data []byte) ([]byte, error) {
	if rd.repo.Opener == nil {
		return data, nil
	}
	return rd.repo.Opener(rd.ctx, data)
}

// RawBlob is Blob without opening sealed data.
func (rd *Reader) RawBlob(oid object.OID) ([]byte, error) {
	objs, err := rd.Raw(oid.String())
	switch {
	case err != nil:
		return nil, err
	case objs[0].Type != "blob":
		return nil, fmt.Errorf("read blob %s: %w", oid.Short(), object.ErrMissing)
	}
	return objs[0].Data, nil
}

// RawSmall is Small without opening sealed blobs.
func (rd *Reader) RawSmall(limit int64, specs ...string) ([]object.Object, error) {
	before := rd.limit
	rd.limit = limit
	defer func() { rd.limit = before }()
	return rd.Raw(specs...)
}

// Raw is Objects without opening sealed blobs.
func (rd *Reader) Raw(specs ...string) ([]object.Object, error) {
	objs := make([]object.Object, len(specs))
	var ask []int
	rd.asked += len(specs)
	rd.graft = nil
	alone := rd.cmd == nil && len(specs) <= nativeObjects && rd.asked <= 10*nativeObjects
	for i, s := range specs {
		if o, ok := rd.known(s); ok {
			objs[i] = o
			continue
		}
		if strings.ContainsAny(s, "\n\x00") || s == "" {
			return nil, fmt.Errorf("read %q: not a name git can be asked for", object.Clip(s))
		}
		if err := rd.ctx.Err(); err != nil {
			return nil, fmt.Errorf("read %s: %w", object.Clip(s), err)
		}
		if alone {
			if o, ok := rd.natively(s); ok {
				objs[i] = o
				continue
			}
		}
		if base, _ := splitSpec(s); strings.HasPrefix(base, "refs/") {
			if err := rd.repo.checkRefFile(base); err != nil {
				return nil, fmt.Errorf("read %w", err)
			}
		}
		ask = append(ask, i)
	}
	for len(ask) > 0 {
		n, err := rd.round(specs, ask, objs)
		if err == nil {
			break
		}
		// After an error, requests and answers no longer match.
		said, cause := rd.stop()
		if rd.ctx.Err() != nil || !errors.Is(err, io.ErrUnexpectedEOF) || !strings.Contains(said, promised) && !rd.saysEmpty(said) {
			if cause != nil && !errors.Is(err, errDamaged) {
				err = cause
			}
			return nil, fmt.Errorf("read %s: %w", object.Clip(specs[ask[min(n, len(ask)-1)]]), err)
		}
		// That object is missing; the others are requested again.
		ask = ask[n+1:]
	}
	return objs, nil
}

// Small is Objects, but leaves out the data of objects larger than limit bytes and marks
// them as Large.
func (rd *Reader) Small(limit int64, specs ...string) ([]object.Object, error) {
	rd.limit = limit
	defer func() { rd.limit = 0 }()
	return rd.Objects(specs...)
}

// promised is part of the message with which git ends at an object that a partial clone
// may not fetch now. Any other end, but at an empty object's file, is an error and never means that the object does not
// exist.
const promised = "from promisor remote"

// typed reads one object and returns an error if it has another type.
func (rd *Reader) typed(oid object.OID, kind string) (object.Object, error) {
	if oid.IsZero() {
		return object.Object{}, fmt.Errorf("read %s: %w", kind, object.ErrMissing)
	}
	o, err := rd.Object(oid.String())
	if err != nil {
		return object.Object{}, err
	}
	if o.Type != kind {
		return object.Object{}, fmt.Errorf("read %s: is a %s, not a %s", oid, o.Type, kind)
	}
	return o, nil
}

// Blob returns a blob's content.
func (rd *Reader) Blob(oid object.OID) ([]byte, error) {
	o, err := rd.typed(oid, "blob")
	if err == nil && o.Sealed != nil {
		err = fmt.Errorf("read blob %s: %w", oid.Short(), o.Sealed)
	}
	return o.Data, err
}

// Tree returns a tree's entries in git's order. The zero OID is the empty tree.
func (rd *Reader) Tree(oid object.OID) ([]object.TreeEntry, error) {
	if oid.IsZero() {
		return nil, nil
	}
	o, err := rd.typed(oid, "tree")
	if err != nil {
		return nil, err
	}
	return object.ParseTree(o.Data, rd.repo.HashLen())
}

// Trees reads several trees in one round trip; a zero OID gives an empty one.
func (rd *Reader) Trees(oids ...object.OID) ([][]object.TreeEntry, error) {
	trees := make([][]object.TreeEntry, len(oids))
	var specs []string
	var at []int
	for i, oid := range oids {
		if !oid.IsZero() {
			specs, at = append(specs, oid.String()), append(at, i)
		}
	}
	objs, err := rd.Objects(specs...)
	if err != nil {
		return nil, err
	}
	for k, o := range objs {
		if o.Type != "tree" {
			return nil, fmt.Errorf("read tree %s: %w", specs[k], object.ErrMissing)
		}
		if trees[at[k]], err = object.ParseTree(o.Data, rd.repo.HashLen()); err != nil {
			return nil, err
		}
	}
	return trees, nil
}

// Commit returns a parsed commit.
func (rd *Reader) Commit(oid object.OID) (object.Commit, error) {
	o, err := rd.typed(oid, "commit")
	if err != nil {
		return object.Commit{}, err
	}
	return object.ParseCommit(o.OID, o.Data)
}

// CommitOf resolves spec (a ref, HEAD, an ID) to a commit; ok is false if it names
// nothing.
func (rd *Reader) CommitOf(spec string) (c object.Commit, ok bool, err error) {
	objs, err := rd.Objects(spec + "^{commit}")
	if err != nil || objs[0].Type == "" {
		return object.Commit{}, false, err
	}
	c, err = object.ParseCommit(objs[0].OID, objs[0].Data)
	return c, err == nil, err
}

// Path returns the entry of path below a tree, with one round trip for each level. found
// is false if there is no such path.
func (rd *Reader) Path(tree object.OID, path string) (e object.TreeEntry, found bool, err error) {
	e = object.TreeEntry{Mode: object.ModeTree, OID: tree}
	if path == "" {
		return e, !tree.IsZero(), nil
	}
	for _, name := range strings.Split(path, "/") {
		if e.Mode != object.ModeTree {
			return object.TreeEntry{}, false, nil
		}
		entries, err := rd.Tree(e.OID)
		if err != nil {
			return object.TreeEntry{}, false, err
		}
		i := indexOf(entries, name)
		if i < 0 {
			return object.TreeEntry{}, false, nil
		}
		e = entries[i]
	}
	return e, true, nil
}

func indexOf(entries []object.TreeEntry, name string) int {
	for i := range entries {
		if entries[i].Name == name {
			return i
		}
	}
	return -1
}
