package lineage

import (
	"context"
	"errors"
	"io/fs"

	"entire/internal/attribution"
)

// movedSinceHead finds uncommitted lines that HEAD has, too, at another place or with
// other indentation. Such a line keeps its owner.
func (r *Resolver) movedSinceHead(ctx context.Context, path string, lines []Line) ([]lineQuery, error) {
	head, born, err := r.repo.Reader(ctx).CommitOf("HEAD")
	if err != nil || !born {
		return nil, err
	}
	key := versionKey{head.OID, path}
	was, ok, err := r.textOf(ctx, key)
	if err != nil || !ok || r.blobs[key].IsZero() {
		return nil, err
	}
	now, err := r.inWorktree(path)
	if err != nil || now == nil {
		return nil, err
	}
	of := attribution.Trace(was, now)
	var moved []lineQuery
	for i, l := range lines {
		if l.Commit.IsZero() && l.Number <= len(of) && of[l.Number-1] >= 0 {
			moved = append(moved, lineQuery{index: i, line: int(of[l.Number-1]) + 1, moved: true})
		}
	}
	if len(moved) == 0 {
		return nil, nil
	}
	return r.broughtBy(ctx, key, moved)
}

// inWorktree returns the text of a file of the worktree; nil if it is not there, is no regular file or has no lines.
func (r *Resolver) inWorktree(path string) ([]byte, error) {
	wt, err := r.repo.OpenWorktree()
	if err != nil {
		return nil, err
	}
	defer wt.Close()
	if fi, err := wt.Lstat(path); err != nil || !fi.Mode().IsRegular() {
		return nil, nil
	}
	text, _, err := wt.Read(path)
	if errors.Is(err, fs.ErrNotExist) || err == nil && !attribution.Countable(text) {
		return nil, nil
	}
	return text, err
}
