package timeline

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"entire/internal/git"
	"entire/strategy/step"
)

// Bounds of a patch that is shown at once. Scripts get everything from git.
const (
	patchFiles = 200
	patchLines = 20000
)

// ErrTooLarge is returned for a file that is too large to be shown.
var ErrTooLarge = errors.New("the file is too large to be shown")

// A FileState is one content that a file had, the newest point at which it had it, and the point that
// gave it that content: the oldest of those in a row that have it, as far as the past was searched.
type FileState struct {
	Point Point   `json:"point"`
	Made  Point   `json:"made"`
	Blob  git.OID `json:"-"`
	Gone  bool    `json:"gone,omitempty"` // there was no such file
}

// FileStates returns the contents that a file had, newest first, at most limit of them. It searches the
// first points points of the past; more reports that older ones were not searched.
func (t *Timeline) FileStates(ctx context.Context, path string, points, limit int) (states []FileState, more bool, err error) {
	if err := git.ValidPath(path); err != nil {
		return nil, false, err
	}
	t.lock(ctx)
	defer t.mu.Unlock()
	l, err := t.opened(ctx, points)
	if err != nil {
		return nil, false, err
	}
	rd := t.env.Repo.Reader(ctx)
	known := map[git.OID][]git.TreeEntry{}
	var at []int
	var blobs []git.OID
	n := min(points, len(l.entries))
	for from := 0; from < n && len(blobs) <= limit; from += patchFiles {
		var trees []git.OID
		for _, e := range l.entries[from:min(from+patchFiles, n)] {
			c, err := rd.Commit(e.oid)
			if err != nil {
				return nil, false, fmt.Errorf("read point %s: %w", e.oid.Short(), err)
			}
			trees = append(trees, c.Tree)
		}
		found, err := step.BlobsAtKnown(ctx, t.env, trees, []string{path}, known)
		if err != nil {
			return nil, false, err
		}
		for k := range trees {
			blob := found[k][0]
			if len(blobs) == 0 || blobs[len(blobs)-1] != blob {
				at, blobs = append(at, from+k), append(blobs, blob)
			}
		}
		clear(known)
	}
	ends := append(at[min(1, len(at)):len(at):len(at)], n) // where the next older state begins
	// The oldest state "there was no such file" says nothing.
	if k := len(blobs); k > 0 && blobs[k-1].IsZero() && k <= limit {
		at, blobs = at[:k-1], blobs[:k-1]
	}
	more = l.next != nil || n < len(l.entries) || len(blobs) > limit
	at = at[:min(len(at), limit)]
	var asked []placed
	for k := range at {
		asked = append(asked, placed{l.entries[at[k]], at[k]}, placed{l.entries[ends[k]-1], ends[k] - 1})
	}
	filled, err := t.fill(ctx, asked, false)
	if err != nil {
		return nil, false, err
	}
	for i := range filled {
		filled[i].Files = max(filled[i].Files, 0)
	}
	for k := range at {
		states = append(states, FileState{filled[2*k], filled[2*k+1], blobs[k], blobs[k].IsZero()})
	}
	return states, more, nil
}

// Blob returns a blob of at most limit bytes.
func (t *Timeline) Blob(ctx context.Context, oid git.OID, limit int64) ([]byte, error) {
	if oid.IsZero() {
		return nil, nil
	}
	t.lock(ctx)
	defer t.mu.Unlock()
	objs, err := t.env.Repo.Reader(ctx).Small(limit, oid.String())
	switch {
	case err != nil:
		return nil, err
	case objs[0].Type == "":
		return nil, fmt.Errorf("read %s: %w", oid.Short(), git.ErrMissing)
	case objs[0].Large:
		return nil, ErrTooLarge
	}
	return objs[0].Data, nil
}

// TreeOf returns the tree of a point, by its ID or the beginning of it.
func (t *Timeline) TreeOf(ctx context.Context, name string) (git.OID, error) {
	t.lock(ctx)
	defer t.mu.Unlock()
	i, err := t.find(ctx, name)
	if err != nil {
		return git.OID{}, err
	}
	c, err := t.env.Repo.Reader(ctx).Commit(t.list.entries[i].oid)
	return c.Tree, err
}

// A Patch is what git shows of the difference of two trees, and the files that were left out because
// there is too much of it.
type Patch struct {
	Text    []byte
	Changes []Change // of all files
	Left    []string // paths that Text leaves out
}

// Patch returns the patch from one tree to another, zero for an empty tree, of the files at or below these
// paths; of all, if there are none.
func (t *Timeline) Patch(ctx context.Context, from, to git.OID, paths ...string) (Patch, error) {
	t.lock(ctx)
	defer t.mu.Unlock()
	counts, err := t.env.Repo.CountLines(ctx, [][2]git.OID{{from, to}}, ".entire")
	if err != nil {
		return Patch{}, err
	}
	changes := counts[0]
	if len(paths) > 0 {
		changes = slices.DeleteFunc(slices.Clone(changes), func(c git.LineCount) bool {
			return !slices.ContainsFunc(paths, func(p string) bool { return c.Path == p || len(c.Path) > len(p) && c.Path[:len(p)+1] == p+"/" })
		})
	}
	p := Patch{Changes: changesOf(changes)}
	var shown []git.LineCount
	lines := 0
	for _, c := range changes {
		n := max(c.Added, 0) + max(c.Removed, 0)
		if len(shown) >= patchFiles || lines+n > patchLines {
			p.Left = append(p.Left, c.Path)
			continue
		}
		shown, lines = append(shown, c), lines+n
	}
	if p.Text, err = PatchText(ctx, t.env.Repo, [2]git.OID{from, to}, shown); err != nil {
		return Patch{}, err
	}
	return p, nil
}

// PatchText returns the patch between two trees for the files in changes, as git prints it without the
// user's configuration.
func PatchText(ctx context.Context, repo *git.Repo, pair [2]git.OID, changes []git.LineCount) ([]byte, error) {
	name := func(tree git.OID) string {
		if tree.IsZero() {
			return repo.EmptyTree().String()
		}
		return tree.String()
	}
	var out []byte
	for batch := range slices.Chunk(changes, patchFiles) {
		args := []string{"diff-tree", "-r", "-p", "--no-textconv", "--no-ext-diff", "--full-index", "--binary", name(pair[0]), name(pair[1]), "--"}
		for _, c := range batch {
			args = append(args, c.Path) // Run makes pathspecs literal
		}
		part, err := repo.Run(ctx, args...)
		if err != nil {
			return nil, err
		}
		out = append(out, part...)
	}
	return out, nil
}
