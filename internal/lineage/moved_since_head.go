package lineage

import (
	"context"
	"errors"
	"io/fs"

	"entire/internal/attribution"
	"entire/internal/pathtext"
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

// markUncommittedMoved marks as unknown the uncommitted lines of a person that a checkpoint records as an agent's in
// another file, which has lost them since: `git reset` undid the commit, so no step shows that they were moved.
func (r *Resolver) markUncommittedMoved(ctx context.Context, path string, lines []Line) error {
	has := map[string]map[attribution.Print]bool{} // by path
	for i := range lines {
		l := &lines[i]
		text := append([]byte(l.Text), '\n')
		if !l.Commit.IsZero() || l.Origin.Owner.Class != attribution.ClassHuman || !attribution.Distinctive(text) {
			continue
		}
		known, err := r.records.notPeoples(ctx)
		if err != nil {
			return err
		}
		p := attribution.PrintLines(text)[0]
		for _, c := range known[p] {
			other := pathtext.Decode(c.file.Path)
			if other == path {
				continue
			}
			there, asked := has[other]
			if !asked {
				if len(has) == namesMax {
					continue
				}
				now, err := r.inWorktree(other)
				if err != nil {
					return err
				}
				there = attribution.PrintSet(now)
				has[other] = there
			}
			if !there[p] {
				l.Origin = unknown(Uncommitted)
			}
		}
	}
	return nil
}
