package git

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"entire/internal/git/object"
)

// A LineCount is one path that differs between two trees. The counts are -1 for binary
// content.
type LineCount struct {
	Change
	Added, Removed int
}

// Action returns the word for what happened to the path: create, write, mode or remove.
func (c LineCount) Action() string {
	switch {
	case c.NewMode == 0:
		return "remove"
	case c.OldMode == 0:
		return "create"
	case c.Old == c.New:
		return "mode"
	}
	return "write"
}

// CountLines compares pairs of trees (zero for the empty one) with one git process and
// returns what differs in each. It skips the names except at the top. It detects no
// renames, and runs no filter or driver of the repository.
func (r *Repo) CountLines(ctx context.Context, pairs [][2]object.OID, except ...string) ([][]LineCount, error) {
	names, err := r.differing(ctx, pairs, except)
	if err != nil {
		return nil, fmt.Errorf("count lines: %w", err)
	}
	if len(names) == 0 {
		return make([][]LineCount, len(pairs)), nil
	}
	var in bytes.Buffer
	for _, p := range pairs {
		fmt.Fprintf(&in, "%s %s\n", r.treeName(p[0]), r.treeName(p[1]))
	}
	args := []string{"diff-tree", "--stdin", "-r", "-z", "--raw", "--numstat", "--no-renames", "--no-textconv", "--"}
	out, err := r.RunInput(ctx, in.Bytes(), append(args, names...)...)
	if err != nil {
		return nil, fmt.Errorf("count lines: %w", err)
	}
	found, err := parseLineCounts(out)
	if err == nil && len(found) != len(pairs) {
		err = fmt.Errorf("count lines: git answered for %d of %d pairs", len(found), len(pairs))
	}
	return found, err
}

// differing returns the top-level names that differ within some pair, without those in
// except.
func (r *Repo) differing(ctx context.Context, pairs [][2]object.OID, except []string) ([]string, error) {
	var oids []object.OID
	for _, p := range pairs {
		oids = append(oids, p[0], p[1])
	}
	trees, err := r.Reader(ctx).Trees(oids...)
	if err != nil {
		return nil, err
	}
	differ := map[string]bool{}
	for i := range pairs {
		was := map[string]object.TreeEntry{}
		for _, e := range trees[2*i] {
			was[e.Name] = e
		}
		for _, e := range trees[2*i+1] {
			if was[e.Name] != e {
				differ[e.Name] = true
			}
			delete(was, e.Name)
		}
		for name := range was {
			differ[name] = true
		}
	}
	for _, name := range except {
		delete(differ, name)
	}
	return slices.Sorted(maps.Keys(differ)), nil
}

func (r *Repo) treeName(tree object.OID) object.OID {
	if tree.IsZero() {
		return r.EmptyTree()
	}
	return tree
}

// parseLineCounts parses the output of `git diff-tree --stdin -z --raw --numstat` for
// pairs of trees: for each pair a line that names both, followed by its changes.
func parseLineCounts(out []byte) ([][]LineCount, error) {
	var pairs [][]LineCount
	var at map[string]int
	for len(out) > 0 {
		if n := pairLine(out); n > 0 {
			pairs, at, out = append(pairs, nil), map[string]int{}, out[n:]
			continue
		}
		if len(pairs) == 0 {
			return nil, fmt.Errorf("read line counts: no pair before %q", object.Clip(string(out)))
		}
		last := &pairs[len(pairs)-1]
		rest, err := lineCount(out, last, at)
		if err != nil {
			return nil, err
		}
		out = rest
	}
	return pairs, nil
}

// pairLine returns the length of the line with two object IDs at the start of out, 0 if
// there is none.
func pairLine(out []byte) int {
	end := bytes.IndexByte(out[:min(len(out), 130)], '\n')
	if end < 0 {
		return 0
	}
	a, b, ok := strings.Cut(string(out[:end]), " ")
	if _, err := object.ParseOID(a); err != nil || !ok {
		return 0
	}
	if _, err := object.ParseOID(b); err != nil {
		return 0
	}
	return end + 1
}

// lineCount parses one record: a raw one begins a change, and the counted one of the same
// path completes it.
func lineCount(out []byte, into *[]LineCount, at map[string]int) (rest []byte, err error) {
	record, rest, ok := bytes.Cut(out, []byte{0})
	if ok && bytes.HasPrefix(record, []byte(":")) {
		path, after, ok := bytes.Cut(rest, []byte{0})
		if !ok {
			return nil, fmt.Errorf("read line counts: record cut short")
		}
		changes, err := ParseRaw(out[:len(record)+1+len(path)+1])
		if err != nil {
			return nil, err
		}
		at[string(path)] = len(*into)
		*into = append(*into, LineCount{Change: changes[0]})
		return after, nil
	}
	f := strings.SplitN(string(record), "\t", 3)
	if !ok || len(f) != 3 {
		return nil, fmt.Errorf("read line counts: record %q", object.Clip(string(record)))
	}
	i, known := at[f[2]]
	if !known {
		return nil, fmt.Errorf("read line counts: counts of an unknown path %q", object.Clip(f[2]))
	}
	c := &(*into)[i]
	if c.Added, err = lineNumber(f[0]); err != nil {
		return nil, err
	}
	c.Removed, err = lineNumber(f[1])
	return rest, err
}

func lineNumber(text string) (int, error) {
	if text == "-" {
		return -1, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 {
		return 0, fmt.Errorf("read line counts: number %q", object.Clip(text))
	}
	return n, nil
}
