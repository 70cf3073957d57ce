package lineage

import (
	"context"
	"errors"
	"io/fs"
	"slices"

	"entire/internal/attribution"
)

// movedSinceHead finds uncommitted lines that HEAD has, too, at another place or with
// other indentation. Such a line keeps its owner, as does one of unknown owner that another file has lost.
func (r *Resolver) movedSinceHead(ctx context.Context, path string, lines []Line) ([]lineQuery, error) {
	head, born, err := r.repo.Reader(ctx).CommitOf("HEAD")
	if err != nil || !born {
		return nil, err
	}
	now, err := r.inWorktree(path)
	if err != nil || now == nil {
		return nil, err
	}
	key := versionKey{head.OID, path}
	was, _, err := r.textOf(ctx, key)
	if err != nil {
		return nil, err
	}
	of := attribution.Trace(was, now)
	var moved []lineQuery
	var rest []int
	for i, l := range lines {
		switch {
		case !l.Commit.IsZero() || l.Number > len(of):
		case of[l.Number-1] >= 0:
			moved = append(moved, lineQuery{index: i, line: int(of[l.Number-1]) + 1, moved: true})
		case l.Owner.Class == attribution.ClassUnknown:
			rest = append(rest, i)
		}
	}
	if moved, err = r.broughtBy(ctx, key, moved); err != nil {
		return nil, err
	}
	others, err := r.lostByOthers(ctx, key, lines, rest)
	return append(moved, others...), err
}

// lostByOthers finds lines of a file, given by their indexes, in files that HEAD has and that have lost them since.
func (r *Resolver) lostByOthers(ctx context.Context, file versionKey, lines []Line, rest []int) (moved []lineQuery, err error) {
	now, strong := make(attribution.Prints, len(rest)), make([]bool, len(rest))
	for k, i := range rest {
		text := []byte(lines[i].Text + "\n")
		now[k], strong[k] = attribution.PrintLine(text), attribution.Distinctive(text)
	}
	if !slices.Contains(strong, true) {
		return nil, nil
	}
	st, err := r.repo.Status(ctx)
	if err != nil {
		return nil, err
	}
	for _, e := range st.Entries[:min(len(st.Entries), otherFilesMax)] {
		key := versionKey{file.commit, e.Path}
		was, ok, err := r.textOf(ctx, key)
		if err != nil {
			return nil, err
		}
		if !ok || key == file {
			continue
		}
		is, err := r.inWorktree(e.Path)
		if err != nil {
			return nil, err
		}
		gone, at := r.compared.RemovedLines(was, is, now, strong)
		var from []lineQuery
		for k, i := range attribution.Match(gone, now, strong) {
			if i >= 0 {
				from, strong[k] = append(from, lineQuery{index: rest[k], line: at[i] + 1, moved: true}), false
			}
		}
		if from, err = r.broughtBy(ctx, key, from); err != nil {
			return nil, err
		}
		moved = append(moved, from...)
	}
	return moved, nil
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
