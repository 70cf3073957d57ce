package git

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
)

// ErrMissing is returned, wrapped with the requested name, if an object or ref does not
// exist. In a partial clone it can also mean "not fetched".
var ErrMissing = errors.New("object missing")

// Object is one stored object. Type is "" if it does not exist.
type Object struct {
	OID   OID
	Type  string // blob, tree, commit or tag
	Data  []byte
	Large bool // larger than the limit: the data was left out
}

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
	files  *objectFiles // nil if only git can read
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
		r.reader = &Reader{repo: r, ctx: ctx, files: newObjectFiles(r)}
	case r.reader.ctx.Err() != nil:
		_, _ = r.reader.stop()
		r.reader.ctx = ctx
	}
	return r.reader
}

// Object reads the object that spec names: an object ID, a ref, `HEAD^{tree}`,
// `<ref>:<path>`. It returns [ErrMissing] if there is none.
func (rd *Reader) Object(spec string) (Object, error) {
	objs, err := rd.Objects(spec)
	if err != nil {
		return Object{}, err
	}
	if objs[0].Type == "" {
		return Object{}, fmt.Errorf("read %s: %w", clip(spec), ErrMissing)
	}
	return objs[0], nil
}

// Objects reads several objects in one round trip, in the requested order. An object that
// does not exist has an empty Type. A spec with a newline is an error.
func (rd *Reader) Objects(specs ...string) ([]Object, error) {
	objs := make([]Object, len(specs))
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
			return nil, fmt.Errorf("read %q: not a name git can be asked for", clip(s))
		}
		if err := rd.ctx.Err(); err != nil {
			return nil, fmt.Errorf("read %s: %w", clip(s), err)
		}
		if alone {
			if o, ok := rd.natively(s); ok {
				objs[i] = o
				continue
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
		if rd.ctx.Err() != nil || !errors.Is(err, io.ErrUnexpectedEOF) || !strings.Contains(said, promised) {
			if cause != nil && !errors.Is(err, errDamaged) {
				err = cause
			}
			return nil, fmt.Errorf("read %s: %w", clip(specs[ask[min(n, len(ask)-1)]]), err)
		}
		// That object is missing; the others are requested again.
		ask = ask[n+1:]
	}
	return objs, nil
}

// Small is Objects, but leaves out the data of objects larger than limit bytes and marks
// them as Large.
func (rd *Reader) Small(limit int64, specs ...string) ([]Object, error) {
	rd.limit = limit
	defer func() { rd.limit = 0 }()
	return rd.Objects(specs...)
}

// promised is part of the message with which git ends at an object that a partial clone
// may not fetch now. Any other end is an error and never means that the object does not
// exist.
const promised = "from promisor remote"

// typed reads one object and returns an error if it has another type.
func (rd *Reader) typed(oid OID, kind string) (Object, error) {
	if oid.IsZero() {
		return Object{}, fmt.Errorf("read %s: %w", kind, ErrMissing)
	}
	o, err := rd.Object(oid.String())
	if err != nil {
		return Object{}, err
	}
	if o.Type != kind {
		return Object{}, fmt.Errorf("read %s: is a %s, not a %s", oid, o.Type, kind)
	}
	return o, nil
}

// Blob returns a blob's content.
func (rd *Reader) Blob(oid OID) ([]byte, error) {
	o, err := rd.typed(oid, "blob")
	return o.Data, err
}

// Tree returns a tree's entries in git's order. The zero OID is the empty tree.
func (rd *Reader) Tree(oid OID) ([]TreeEntry, error) {
	if oid.IsZero() {
		return nil, nil
	}
	o, err := rd.typed(oid, "tree")
	if err != nil {
		return nil, err
	}
	return ParseTree(o.Data, rd.repo.hashLen())
}

// Trees reads several trees in one round trip; a zero OID gives an empty one.
func (rd *Reader) Trees(oids ...OID) ([][]TreeEntry, error) {
	trees := make([][]TreeEntry, len(oids))
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
			return nil, fmt.Errorf("read tree %s: %w", specs[k], ErrMissing)
		}
		if trees[at[k]], err = ParseTree(o.Data, rd.repo.hashLen()); err != nil {
			return nil, err
		}
	}
	return trees, nil
}

// Commit returns a parsed commit.
func (rd *Reader) Commit(oid OID) (Commit, error) {
	o, err := rd.typed(oid, "commit")
	if err != nil {
		return Commit{}, err
	}
	return ParseCommit(o.OID, o.Data)
}

// CommitOf resolves spec (a ref, HEAD, an ID) to a commit; ok is false if it names
// nothing.
func (rd *Reader) CommitOf(spec string) (c Commit, ok bool, err error) {
	objs, err := rd.Objects(spec + "^{commit}")
	if err != nil || objs[0].Type == "" {
		return Commit{}, false, err
	}
	c, err = ParseCommit(objs[0].OID, objs[0].Data)
	return c, err == nil, err
}

// Path returns the entry of path below a tree, with one round trip for each level. found
// is false if there is no such path.
func (rd *Reader) Path(tree OID, path string) (e TreeEntry, found bool, err error) {
	e = TreeEntry{Mode: ModeTree, OID: tree}
	if path == "" {
		return e, !tree.IsZero(), nil
	}
	for _, name := range strings.Split(path, "/") {
		if e.Mode != ModeTree {
			return TreeEntry{}, false, nil
		}
		entries, err := rd.Tree(e.OID)
		if err != nil {
			return TreeEntry{}, false, err
		}
		i := indexOf(entries, name)
		if i < 0 {
			return TreeEntry{}, false, nil
		}
		e = entries[i]
	}
	return e, true, nil
}

func indexOf(entries []TreeEntry, name string) int {
	for i := range entries {
		if entries[i].Name == name {
			return i
		}
	}
	return -1
}
