package sealing

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"entire/checkpoint/epoch"
	"entire/checkpoint/merge"
	"entire/checkpoint/metadata"
	"entire/id"
	"entire/internal/git"
)

// Done is what Seal did.
type Done struct {
	Months []epoch.Month
	Sealed int // checkpoints that are in those epochs now, and were not
	Left   int // checkpoints of the plan that stay on the branch, because they have changed meanwhile
}

// Seal writes the epochs of a plan, and then removes their checkpoints from the branch.
func Seal(ctx context.Context, repo *git.Repo, plan Plan) (Done, error) {
	var done Done
	authors, err := authorsOf(ctx, repo, plan.tip)
	if err != nil {
		return done, err
	}
	for _, part := range plan.Months {
		if part.Absent {
			continue
		}
		for i, row := range part.rows {
			part.rows[i].Author = authors[row.ID]
		}
		added, err := add(ctx, repo, part.Month, part.rows)
		if err != nil {
			return done, fmt.Errorf("seal %s: %w", part.Month, err)
		}
		done.Sealed += added
		done.Months = append(done.Months, part.Month)
	}
	if len(done.Months) == 0 {
		return done, nil
	}
	left, err := Drop(ctx, repo)
	done.Left = left
	return done, errors.Join(err, epoch.WriteIndex(ctx, repo))
}

// add joins rows with what the month's epoch has, and moves its two refs in one transaction. It begins again if
// another process has moved them.
func add(ctx context.Context, repo *git.Repo, m epoch.Month, rows []epoch.Row) (added int, err error) {
	for try := 0; ; try++ {
		added, err = addOnce(ctx, repo, m, rows)
		if !errors.Is(err, git.ErrRefMoved) || try >= metadata.WriteTries {
			return added, err
		}
		if err := git.PauseTry(ctx, try); err != nil {
			return added, err
		}
	}
}

func addOnce(ctx context.Context, repo *git.Repo, m epoch.Month, rows []epoch.Row) (added int, err error) {
	at, err := stateOf(ctx, repo, m)
	if err != nil {
		return 0, err
	}
	before, err := at.rows(ctx, repo)
	if err != nil {
		return 0, err
	}
	joined, err := join(ctx, repo, before, rows)
	if err == nil {
		joined, err = withoutForgotten(ctx, repo, joined)
	}
	if err != nil {
		return 0, err
	}
	return max(len(joined)-len(before), 0), at.write(ctx, repo, joined)
}

// state is what the two refs of a month name; zero for one that does not exist.
type state struct {
	month            epoch.Month
	manifest, bodies git.OID
}

func stateOf(ctx context.Context, repo *git.Repo, m epoch.Month) (s state, err error) {
	s.month = m
	if s.manifest, _, err = repo.Ref(ctx, m.Ref()); err == nil {
		s.bodies, _, err = repo.Ref(ctx, m.BodyRef())
	}
	return s, err
}

// rows reads the rows of the month's epoch.
func (s state) rows(ctx context.Context, repo *git.Repo) ([]epoch.Row, error) {
	if s.manifest.IsZero() {
		return nil, nil
	}
	m, err := epoch.Open(repo.Reader(ctx), s.month, s.manifest)
	if err != nil {
		return nil, err
	}
	return m.Rows(repo.Reader(ctx))
}

// write makes the epoch with these rows, and moves the month's refs to it, or deletes them without rows.
func (s state) write(ctx context.Context, repo *git.Repo, rows []epoch.Row, others ...git.OID) error {
	again, err := s.again(ctx, repo, others...)
	if err != nil {
		return err
	}
	manifest, bodies, err := epoch.Build(repo, s.month, rows, again)
	if err != nil {
		return err
	}
	var moves []git.RefUpdate
	for _, u := range []git.RefUpdate{{Name: s.month.BodyRef(), New: bodies, Old: s.bodies}, {Name: s.month.Ref(), New: manifest, Old: s.manifest}} {
		if u.New != u.Old {
			moves = append(moves, u)
		}
	}
	if len(moves) == 0 {
		return nil
	}
	return repo.UpdateRefs(ctx, moves)
}

// again returns how often the month was unsealed, as the local branch, the month's manifest, or another one says.
func (s state) again(ctx context.Context, repo *git.Repo, others ...git.OID) (n int, err error) {
	root, err := localRoot(ctx, repo)
	if err != nil {
		return 0, err
	}
	if !root.IsZero() {
		gone, err := noLonger(ctx, repo, root, s.month)
		if err != nil {
			return 0, err
		}
		n = len(gone)
	}
	for _, oid := range append(others, s.manifest) {
		if oid.IsZero() {
			continue
		}
		m, err := epoch.Open(repo.Reader(ctx), s.month, oid)
		if err != nil {
			return 0, err
		}
		meta, err := m.Meta(repo.Reader(ctx))
		if err != nil {
			return 0, err
		}
		n = max(n, meta.Again)
	}
	return n, nil
}

// join merges two lists of rows. A checkpoint that both have in different versions is merged session by session.
func join(ctx context.Context, repo *git.Repo, a, b []epoch.Row) ([]epoch.Row, error) {
	all := make(map[id.CheckpointID]epoch.Row, len(a)+len(b))
	for _, row := range a {
		all[row.ID] = row
	}
	for _, row := range b {
		have, both := all[row.ID]
		if !both {
			all[row.ID] = row
			continue
		}
		merged, err := joinRow(ctx, repo, have, row)
		if err != nil {
			return nil, err
		}
		all[row.ID] = merged
	}
	return slices.Collect(maps.Values(all)), nil
}

func joinRow(ctx context.Context, repo *git.Repo, a, b epoch.Row) (epoch.Row, error) {
	author := a.Author
	if author == "" || b.Author != "" && b.Author < author {
		author = b.Author
	}
	if a.Tree == b.Tree {
		a.Author = author
		return a, nil
	}
	tree, err := merge.Folders(ctx, repo, a.ID, a.Tree, b.Tree)
	if err != nil {
		return epoch.Row{}, err
	}
	rows, err := rowsOf(ctx, repo, []*metadata.Folder{metadata.TreeFolder(a.ID, tree, metadata.Documents)})
	if err != nil {
		return epoch.Row{}, err
	}
	rows[0].Author = author
	return rows[0], nil
}

// withoutForgotten leaves out checkpoints that have a tombstone on the local branch.
func withoutForgotten(ctx context.Context, repo *git.Repo, rows []epoch.Row) ([]epoch.Row, error) {
	gone, err := forgotten(ctx, repo)
	if err != nil || len(gone) == 0 {
		return rows, err
	}
	return slices.DeleteFunc(rows, func(r epoch.Row) bool { return gone[r.ID] }), nil
}

func forgotten(ctx context.Context, repo *git.Repo) (metadata.Forgotten, error) {
	_, tip, err := metadata.Tip(ctx, repo)
	if err != nil || tip.IsZero() {
		return nil, err
	}
	c, err := repo.Reader(ctx).Commit(tip)
	if err != nil {
		return nil, err
	}
	return metadata.ReadForgotten(repo.Reader(ctx), c.Tree)
}
