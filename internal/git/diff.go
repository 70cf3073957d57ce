package git

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"sort"
	"strings"

	"entire/internal/git/object"
	"entire/internal/git/store"
)

// Change is one path that differs between two states. A mode of 0 means that the path does
// not exist on that side.
type Change struct {
	Path             string
	OldMode, NewMode uint32
	Old, New         object.OID
}

type treePair struct {
	prefix string
	a, b   object.OID
}

// DiffTrees returns the files that differ between trees a and b (zero for the empty tree),
// sorted by path. It does not read equal subtrees, and skips the names except at the top.
func (r *Repo) DiffTrees(ctx context.Context, a, b object.OID, except ...string) ([]Change, error) {
	return r.DiffKnown(ctx, a, b, map[object.OID][]object.TreeEntry{}, except...)
}

// DiffKnown is DiffTrees with a cache of trees, to which it adds those that it reads.
func (r *Repo) DiffKnown(ctx context.Context, a, b object.OID, known map[object.OID][]object.TreeEntry, except ...string) ([]Change, error) {
	var changes []Change
	for level := []treePair{{"", a, b}}; len(level) > 0; {
		var ask []object.OID
		for _, p := range level {
			for _, oid := range []object.OID{p.a, p.b} {
				if _, have := known[oid]; !have {
					ask = append(ask, oid)
				}
			}
		}
		trees, err := r.Reader(ctx).Trees(ask...)
		if err != nil {
			return nil, fmt.Errorf("compare trees: %w", err)
		}
		for i, oid := range ask {
			known[oid] = trees[i]
		}
		var next []treePair
		for _, p := range level {
			was, is := known[p.a], known[p.b]
			if p.prefix == "" {
				was, is = without(was, except), without(is, except)
			}
			next = diffLevel(p.prefix, was, is, next, &changes)
		}
		level = next
	}
	sort.Slice(changes, func(i, j int) bool { return changes[i].Path < changes[j].Path })
	return mergeTypeChanges(changes), nil
}

func without(entries []object.TreeEntry, names []string) []object.TreeEntry {
	if len(names) == 0 {
		return entries
	}
	return slices.DeleteFunc(slices.Clone(entries), func(e object.TreeEntry) bool { return slices.Contains(names, e.Name) })
}

func diffLevel(prefix string, a, b []object.TreeEntry, next []treePair, out *[]Change) []treePair {
	old := make(map[string]object.TreeEntry, len(a))
	for _, e := range a {
		old[e.Name] = e
	}
	for _, e := range b {
		was, had := old[e.Name]
		delete(old, e.Name)
		if had && was.Mode == e.Mode && was.OID == e.OID {
			continue
		}
		next = diffEntry(prefix, was, e, next, out)
	}
	for _, e := range old {
		next = diffEntry(prefix, e, object.TreeEntry{Name: e.Name}, next, out)
	}
	return next
}

// diffEntry compares one name: it queues folders and reports files.
func diffEntry(prefix string, was, is object.TreeEntry, next []treePair, out *[]Change) []treePair {
	path := prefix + is.Name
	var pair treePair
	ch := Change{Path: path, OldMode: was.Mode, NewMode: is.Mode, Old: was.OID, New: is.OID}
	if was.Mode == object.ModeTree {
		pair.a, ch.OldMode, ch.Old = was.OID, 0, object.OID{}
	}
	if is.Mode == object.ModeTree {
		pair.b, ch.NewMode, ch.New = is.OID, 0, object.OID{}
	}
	if ch.OldMode != 0 || ch.NewMode != 0 {
		*out = append(*out, ch)
	}
	if !pair.a.IsZero() || !pair.b.IsZero() {
		pair.prefix = path + "/"
		next = append(next, pair)
	}
	return next
}

// mergeTypeChanges keeps one record for each path, the last one; two can only come from a
// tree that has a name twice.
func mergeTypeChanges(changes []Change) []Change {
	out := changes[:0]
	for _, c := range changes {
		if n := len(out); n > 0 && out[n-1].Path == c.Path {
			out[n-1] = c
			continue
		}
		out = append(out, c)
	}
	return out
}

// Staged is what a commit would change. From and To are the trees before and after it,
// zero if not known.
type Staged struct {
	Changes  []Change
	From, To object.OID
}

// Staged returns what a commit from IndexFile (the caller's [store.Repo.IndexFile], or "" for
// the worktree's own index) would change against HEAD, or against the empty tree on an
// unborn branch. With `git commit -a` or PATH, git names a temporary index, which is then
// read.
func (r *Repo) Staged(ctx context.Context, indexFile string) (Staged, error) {
	if s, ok := r.stagedNatively(ctx, indexFile); ok {
		return s, nil
	}
	changes, err := r.stagedAgainst(ctx, "HEAD", indexFile)
	var exit *store.ExitError
	if errors.As(err, &exit) && exit.Code == 128 {
		if _, born, rerr := r.Reader(ctx).CommitOf("HEAD"); rerr == nil && !born {
			changes, err = r.stagedAgainst(ctx, r.EmptyTree().String(), indexFile)
		}
	}
	return Staged{Changes: changes}, err
}

func (r *Repo) stagedAgainst(ctx context.Context, base, indexFile string) ([]Change, error) {
	c := r.Command(nil)
	if indexFile != "" {
		c.Env = append(append([]string{}, c.Env...), "GIT_INDEX_FILE="+indexFile)
	}
	out, err := c.Output(ctx, "diff-index", "--cached", "--raw", "-z", "--no-abbrev", "--no-renames", "--no-ext-diff", "--ignore-submodules=none", "--ita-invisible-in-index", base)
	if err != nil {
		return nil, fmt.Errorf("read what is being committed: %w", err)
	}
	return ParseRaw(out)
}

// ParseRaw parses the output of git's `--raw -z --no-abbrev` diffs.
func ParseRaw(out []byte) ([]Change, error) {
	var changes []Change
	for len(out) > 0 {
		meta, rest, ok := bytes.Cut(out, []byte{0})
		path, rest, ok2 := bytes.Cut(rest, []byte{0})
		if !ok || !ok2 {
			return nil, fmt.Errorf("read raw diff: record cut short")
		}
		out = rest
		f := strings.Fields(strings.TrimPrefix(string(meta), ":"))
		if len(f) != 5 {
			return nil, fmt.Errorf("read raw diff: record %q", object.Clip(string(meta)))
		}
		ch := Change{Path: string(path)}
		var err [4]error
		ch.OldMode, err[0] = parseMode(f[0])
		ch.NewMode, err[1] = parseMode(f[1])
		ch.Old, err[2] = object.ParseOID(f[2])
		ch.New, err[3] = object.ParseOID(f[3])
		if e := store.FirstError(err[:]); e != nil {
			return nil, fmt.Errorf("read raw diff: %w", e)
		}
		changes = append(changes, ch)
	}
	return changes, nil
}
