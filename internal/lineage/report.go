package lineage

import (
	"context"

	"entire/internal/attribution"
	"entire/internal/git"
	"entire/internal/lineage/gitblame"
	"entire/internal/pathtext"
)

// Commit reports who wrote the lines that a commit added, and who removed the lines that
// it removed. The totals equal those of `git diff-tree --numstat --no-renames --minimal`; of a
// merge there are only the lines that no parent has. It returns git.ErrMissing if there is no
// such commit.
func (r *Resolver) Commit(ctx context.Context, oid git.OID) ([]ChangedFile, error) {
	if err := r.load(ctx, []git.OID{oid}); err != nil {
		return nil, err
	}
	c := r.commits[oid]
	if c == nil {
		return nil, git.ErrMissing
	}
	changes, err := r.changed(ctx, c)
	if err != nil {
		return nil, err
	}
	if err := r.load(ctx, c.Parents); err != nil {
		return nil, err
	}
	var files []ChangedFile
	for _, ch := range changes {
		f, ok, err := r.report(ctx, c, ch)
		if err != nil {
			return nil, err
		}
		if ok {
			files = append(files, f)
		}
	}
	return files, nil
}

// report returns the report of one file; ok is false for a file that a merge took
// unchanged from one of its parents.
func (r *Resolver) report(ctx context.Context, c *commit, ch git.Change) (f ChangedFile, ok bool, err error) {
	f.Path = ch.Path
	oids := []git.OID{blobOf(ch.NewMode, ch.New), blobOf(ch.OldMode, ch.Old)}
	for _, other := range c.Parents[min(1, len(c.Parents)):] {
		key := versionKey{other, ch.Path}
		if err := r.locate(ctx, []versionKey{key}); err != nil {
			return f, false, err
		}
		if r.blobs[key] == ch.New {
			return f, false, nil
		}
		oids = append(oids, r.blobs[key])
	}
	texts, err := r.texts(ctx, oids...)
	if err != nil {
		return f, false, err
	}
	if texts == nil || oids[0].IsZero() && oids[1].IsZero() {
		f.Skipped = true
		return f, true, nil
	}
	if err := r.fill(ctx, c, ch, texts, &f); err != nil {
		return f, false, err
	}
	for _, lines := range [][]ChangedLine{f.Added, f.Removed} {
		for i := range lines {
			lines[i].Commit = c.OID
		}
	}
	return f, true, nil
}

func blobOf(mode uint32, oid git.OID) git.OID {
	if mode == git.ModeGitlink {
		return git.OID{}
	}
	return oid
}

// fill adds the lines to f. texts holds the committed version, followed by those of the
// parents.
func (r *Resolver) fill(ctx context.Context, c *commit, ch git.Change, texts [][]byte, f *ChangedFile) error {
	b := &gitblame.Commit{OID: c.OID, Path: ch.Path}
	if ch.OldMode != 0 && len(c.Parents) > 0 {
		b.Parent, b.ParentPath = c.Parents[0], ch.Path
	}
	v, err := r.versionOf(ctx, b)
	if err != nil {
		return err
	}
	if ch.NewMode == 0 {
		v.findExactRemoval()
	}
	was, is := attribution.SplitLines(texts[1]), attribution.SplitLines(texts[0])
	if v.exact != nil {
		return v.fillExact(ctx, was, is, f)
	}
	added, removed := r.changedInAll(texts)
	f.fill(was, is, added, removed)
	work := make([]lineQuery, len(f.Added))
	for i, l := range f.Added {
		work[i] = lineQuery{index: i, commit: b, line: l.Number}
	}
	found, err := r.resolve(ctx, work, r.broughtBy)
	if err != nil {
		return err
	}
	for i, o := range found {
		f.Added[i].Origin = o.Origin
	}
	remover, err := r.removerWithoutRecord(ctx, c)
	for i := range f.Removed {
		f.Removed[i].Origin = remover
	}
	return err
}

// changedInAll returns the lines that no parent has, and those of the first parent that all parents
// have and the commit does not.
func (r *Resolver) changedInAll(texts [][]byte) (added, removed []bool) {
	added, removed = r.compared.Diff(texts[1], texts[0])
	for _, other := range texts[min(2, len(texts)):] {
		more, _ := r.compared.Diff(other, texts[0])
		for i := range added {
			added[i] = added[i] && more[i]
		}
		kept, _ := r.compared.Diff(other, texts[1]) // lines of the first parent that this other parent does not have
		for i := range removed {
			removed[i] = removed[i] && !kept[i]
		}
	}
	return added, removed
}

// findExactRemoval finds the record of a file that the commit removed.
func (v *version) findExactRemoval() {
	for _, cp := range v.c.checkpoints {
		if rec := v.r.records.loaded[cp]; rec != nil && v.exact == nil {
			if f := rec.File(pathtext.Encode(v.key.path)); f != nil && f.Blob == "" {
				v.exact, v.exactRec, v.exactID = f, rec, cp
			}
		}
	}
}

// fillExact adds the lines to f that the record of exactly this version has. Blame may know the owner of an added
// line better than the record, if the commit brought the line back.
func (v *version) fillExact(ctx context.Context, was, is [][]byte, f *ChangedFile) error {
	f.fill(was, is, nil, nil)
	line := func(lines [][]byte, n, owner int) ChangedLine {
		o := Origin{Owner: v.exactRec.Owners[owner], Checkpoint: v.exactID, Evidence: Recorded}
		return ChangedLine{Number: n, Text: trimNewline(lines[n-1]), Origin: v.c.unlessForeign(o)}
	}
	for _, g := range v.exact.Ranges {
		for n := g.Start; n < g.Start+g.Count && n <= len(is); n++ {
			l := line(is, n, g.Owner)
			better, err := v.origin(ctx, n)
			if err != nil {
				return err
			}
			if better.line == 0 && !g.Moved {
				l.Origin = better.Origin
			}
			f.Added = append(f.Added, l)
		}
	}
	for _, g := range v.exact.Removed {
		for n := g.Line; n < g.Line+g.Count && n <= len(was); n++ {
			f.Removed = append(f.Removed, line(was, n, g.Owner))
		}
	}
	return nil
}

// removerWithoutRecord returns who removed lines in a commit that has no record of the file.
func (r *Resolver) removerWithoutRecord(ctx context.Context, c *commit) (Origin, error) {
	if len(c.checkpoints) > 0 {
		return c.unlessForeign(unknown(None)), nil
	}
	if holds, err := r.holdsRecorded(ctx, c); err != nil || holds {
		return c.unlessForeign(unknown(None)), err
	}
	o, err := r.ownerWithoutRecord(ctx, c)
	return c.unlessForeign(o), err
}
