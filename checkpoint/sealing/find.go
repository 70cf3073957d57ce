package sealing

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"entire/checkpoint/chunk"
	"entire/checkpoint/epoch"
	"entire/checkpoint/metadata"
	"entire/checkpoint/shadow"
	"entire/id"
	"entire/internal/git"
)

// Plan is what can be sealed.
type Plan struct {
	Months []Part // the oldest first
	Stay   int    // checkpoints that stay on the branch, as their month is not over or is unknown
	tip    git.OID
}

// Part is what the branch has of one month.
type Part struct {
	Month       epoch.Month
	Checkpoints int
	Late        bool // the month was sealed before
	Absent      bool // it was, and its content is not in this clone: what the branch has stays there
	rows        []epoch.Row
}

// Checkpoints counts what would move.
func (p Plan) Checkpoints() (n int) {
	for _, part := range p.Months {
		if !part.Absent {
			n += part.Checkpoints
		}
	}
	return n
}

// readBatch is how many checkpoints are read in one round.
const readBatch = 256

// Find reads the checkpoints of the local branch, and plans to seal those of months before the one of the time. A
// checkpoint belongs to the month of its oldest session, or to the month that it was sealed in.
func Find(ctx context.Context, repo *git.Repo, before time.Time, progress func(done, total int)) (Plan, error) {
	var plan Plan
	c, ok, err := repo.Reader(ctx).CommitOf(shadow.MetadataRef)
	if err != nil || !ok {
		return plan, err
	}
	plan.tip = c.OID
	rows, err := readRows(ctx, repo, c.Tree, progress)
	if err != nil {
		return plan, fmt.Errorf("read the branch's checkpoints: %w", err)
	}
	set, err := epoch.Load(ctx, repo)
	if err != nil {
		return plan, err
	}
	byMonth, err := plan.divide(repo.Reader(ctx), set, rows, epoch.MonthOf(before))
	if err != nil {
		return plan, err
	}
	for month, rows := range byMonth {
		part := Part{Month: month, Checkpoints: len(rows), rows: rows}
		if m := set.Of(month); m != nil {
			here, err := bodiesHere(ctx, repo, m)
			if err != nil {
				return plan, err
			}
			part.Late, part.Absent = true, !here
		}
		plan.Months = append(plan.Months, part)
	}
	slices.SortFunc(plan.Months, func(a, b Part) int { return strings.Compare(string(a.Month), string(b.Month)) })
	return plan, nil
}

func (p *Plan) divide(rd *git.Reader, set epoch.Set, rows []epoch.Row, open epoch.Month) (map[epoch.Month][]epoch.Row, error) {
	byMonth := map[epoch.Month][]epoch.Row{}
	for _, row := range rows {
		month, sealed, err := set.MonthOf(rd, row.ID)
		if err != nil {
			return nil, err
		}
		if !sealed && !row.First.IsZero() {
			month = epoch.MonthOf(row.First)
		}
		if !sealed && (row.First.IsZero() || month >= open) {
			p.Stay++
			continue
		}
		byMonth[month] = append(byMonth[month], row)
	}
	return byMonth, nil
}

// bodiesHere reports whether this clone has the checkpoints of an epoch.
func bodiesHere(ctx context.Context, repo *git.Repo, m *epoch.Manifest) (bool, error) {
	meta, err := m.Meta(repo.Reader(ctx))
	if err != nil {
		return false, err
	}
	tip, ok, err := repo.Ref(ctx, m.Month.BodyRef())
	return ok && tip == meta.Bodies, err
}

// readRows makes the rows of all checkpoints below a root, without authors.
func readRows(ctx context.Context, repo *git.Repo, root git.OID, progress func(done, total int)) ([]epoch.Row, error) {
	folders, err := foldersBelow(repo.Reader(ctx), root)
	if err != nil {
		return nil, err
	}
	rows := make([]epoch.Row, 0, len(folders))
	for some := range slices.Chunk(folders, readBatch) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		more, err := rowsOf(ctx, repo, some)
		if err != nil {
			return nil, err
		}
		rows = append(rows, more...)
		if progress != nil {
			progress(len(rows), len(folders))
		}
	}
	return rows, nil
}

// foldersBelow lists the checkpoints of a tree of the branch; nothing in them is read yet.
func foldersBelow(rd *git.Reader, root git.OID) ([]*metadata.Folder, error) {
	entries, err := rd.Tree(root)
	if err != nil {
		return nil, err
	}
	var folders []*metadata.Folder
	for _, e := range entries {
		if e.Mode != git.ModeTree || len(e.Name) != 2 {
			continue
		}
		rests, err := rd.Tree(e.OID)
		if err != nil {
			return nil, err
		}
		for _, f := range rests {
			if cp, err := id.NewCheckpointID(e.Name + f.Name); err == nil && f.Mode == git.ModeTree {
				folders = append(folders, metadata.TreeFolder(cp, f.OID, metadata.Documents))
			}
		}
	}
	return folders, nil
}

// rowsOf reads checkpoints and makes their rows, without authors.
func rowsOf(ctx context.Context, repo *git.Repo, folders []*metadata.Folder) ([]epoch.Row, error) {
	rd := repo.Reader(ctx)
	var ask chunk.Batch
	for _, f := range folders {
		ask.Add(f.Tree.String(), func(o git.Object) (err error) {
			if o.Type != "tree" {
				return git.ErrMissing
			}
			f.Entries, err = git.ParseTree(o.Data, repo.HashLen())
			return err
		})
	}
	if err := ask.Run(rd); err != nil {
		return nil, err
	}
	if err := metadata.FillFolders(rd, folders, repo.HashLen()); err != nil {
		return nil, err
	}
	sizes, err := sizesOf(ctx, repo, folders)
	if err != nil {
		return nil, err
	}
	rows := make([]epoch.Row, len(folders))
	for i, f := range folders {
		rows[i] = epoch.Row{ID: f.ID, Tree: f.Tree, Bytes: sizes[i]}
		for _, s := range f.Slots {
			if s.Err == nil {
				addSession(&rows[i], s.Meta)
			}
		}
	}
	return rows, nil
}

func addSession(row *epoch.Row, meta metadata.CommittedMetadata) {
	row.Sessions = append(row.Sessions, meta.SessionID)
	at := meta.CreatedAt.UTC().Truncate(time.Second)
	if at.IsZero() {
		return
	}
	if row.First.IsZero() || at.Before(row.First) {
		row.First = at
	}
	if at.After(row.Last) {
		row.Last = at
	}
}
