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

// ErrMissing is returned, wrapped with the name asked for, where an object or
// ref does not exist here. In a partial clone it also means "not fetched".
var ErrMissing = errors.New("object missing")

// Object is one object as stored. Type is "" when it does not exist.
type Object struct {
	OID   OID
	Type  string // blob, tree, commit or tag
	Data  []byte
	Large bool // more than was asked for: the data was left out
}

// Reader reads objects: natively where the repository is of the ordinary kind,
// and through one `git cat-file --batch` process where it is not, and whatever
// was not found that way. It sees objects that a [Writer] of the same Repo has
// not made durable yet, and keeps small ones: what it returns must not be
// changed. Not safe for concurrent use.
type Reader struct {
	repo   *Repo
	ctx    context.Context
	cmd    *exec.Cmd
	stdin  io.WriteCloser
	out    *bufio.Reader
	stderr *bytes.Buffer
	files  *objectFiles // nil where only git can read
	kept   kept
	asked  int   // how many objects so far
	graft  *bool // see grafted; nil when it was not asked yet
	limit  int64 // bytes above which an object's data is left out; 0 is none
}

// nativeObjects is how many objects are read natively in one round, and ten times
// that in all: for more, git's process is cheaper, and once it runs it is so for each.
const nativeObjects = 20

// Reader returns the Repo's reader. The process starts with the first question
// that needs it and lives until the Repo is closed or the ctx of its first use is done; the
// next call, with a live one, starts another.
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

// Object reads what spec names: an object ID, a ref, `HEAD^{tree}`,
// `<ref>:<path>`. It returns [ErrMissing] when there is no such object.
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

// Objects reads several objects in one round trip, in the order asked for. One
// that does not exist has an empty Type. A spec with a newline cannot be asked
// and counts as an error.
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
		// Whatever went wrong, question and answer are out of step.
		said, cause := rd.stop()
		if rd.ctx.Err() != nil || !errors.Is(err, io.ErrUnexpectedEOF) || !strings.Contains(said, promised) {
			if cause != nil && !errors.Is(err, errDamaged) {
				err = cause
			}
			return nil, fmt.Errorf("read %s: %w", clip(specs[ask[min(n, len(ask)-1)]]), err)
		}
		// That one is not here; the others are asked again.
		ask = ask[n+1:]
	}
	return objs, nil
}

// Small is Objects without the data of objects larger than limit bytes, which
// are marked as Large.
func (rd *Reader) Small(limit int64, specs ...string) ([]Object, error) {
	rd.limit = limit
	defer func() { rd.limit = 0 }()
	return rd.Objects(specs...)
}

// promised is in what git says when it ends at an object that a partial clone
// was promised and may not fetch now. Any other end is an error, never absence.
const promised = "from promisor remote"

// typed reads one object and insists on its type.
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

// CommitOf resolves spec (a ref, HEAD, an ID) to a commit; ok is false when it
// names nothing.
func (rd *Reader) CommitOf(spec string) (c Commit, ok bool, err error) {
	objs, err := rd.Objects(spec + "^{commit}")
	if err != nil || objs[0].Type == "" {
		return Commit{}, false, err
	}
	c, err = ParseCommit(objs[0].OID, objs[0].Data)
	return c, err == nil, err
}

// Path looks path up below a tree, one round trip a level. found is false when
// no such path exists.
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
