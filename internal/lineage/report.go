package lineage

import (
	"context"
	"strings"

	"entire/internal/attribution"
	"entire/internal/git"
)

// Report is what one commit did, line by line. Its totals equal those of `git diff-tree
// --numstat --no-renames --minimal`; for a merge it has only the lines that no parent has.
type Report struct {
	Files []FileReport // sorted by path, without .entire
}

// FileReport is one file of a commit.
type FileReport struct {
	Path string
	// Skipped is true for a binary file, a submodule, or a file that is too large: its
	// lines are not reported.
	Skipped     bool
	Lines       int // in the committed version
	ParentLines int // lines of the first parent's version
	Added       []AddedLine
	Removed     []RemovedLine
}

// AddedLine is a line that the commit has and none of its parents has.
type AddedLine struct {
	Number int // from 1
	Text   string
	Origin
}

// RemovedLine is a line that the commit removed.
type RemovedLine struct {
	Number int // from 1, in the first parent
	Text   string
	Origin // who removed it, not who wrote it
}

// Commit reports who wrote the lines that a commit added, and who removed the lines that
// it removed. It returns git.ErrMissing if there is no such commit.
func (r *Resolver) Commit(ctx context.Context, oid git.OID) (*Report, error) {
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
	rep := &Report{}
	for _, ch := range changes {
		f, ok, err := r.report(ctx, c, ch)
		if err != nil {
			return nil, err
		}
		if ok {
			rep.Files = append(rep.Files, f)
		}
	}
	return rep, nil
}

// report returns the report of one file; ok is false for a file that a merge took
// unchanged from one of its parents.
func (r *Resolver) report(ctx context.Context, c *commit, ch git.Change) (f FileReport, ok bool, err error) {
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
	return f, true, r.fill(ctx, c, ch, texts, &f)
}

func blobOf(mode uint32, oid git.OID) git.OID {
	if mode == git.ModeGitlink {
		return git.OID{}
	}
	return oid
}

// fill adds the lines to f. texts holds the committed version, followed by those of the
// parents.
func (r *Resolver) fill(ctx context.Context, c *commit, ch git.Change, texts [][]byte, f *FileReport) error {
	b := &blamedCommit{oid: c.OID, path: ch.Path}
	if ch.OldMode != 0 && len(c.Parents) > 0 {
		b.parent, b.parentPath = c.Parents[0], ch.Path
	}
	v, err := r.versionOf(ctx, b)
	if err != nil {
		return err
	}
	if ch.NewMode == 0 {
		v.findExactRemoval()
	}
	lines, older := splitLines(texts[0]), splitLines(texts[1])
	f.Lines, f.ParentLines = len(lines), len(older)
	if v.exact != nil {
		v.fillExact(lines, older, f)
		return nil
	}
	added, removed := attribution.Diff(texts[1], texts[0])
	for _, other := range texts[min(2, len(texts)):] {
		more, _ := attribution.Diff(other, texts[0])
		for i := range added {
			added[i] = added[i] && more[i]
		}
		kept, _ := attribution.Diff(other, texts[1]) // lines of the first parent that this other parent does not have
		for i := range removed {
			removed[i] = removed[i] && !kept[i]
		}
	}
	var work []lineQuery
	for i, is := range added {
		if is {
			work = append(work, lineQuery{index: len(f.Added), commit: b, line: i + 1})
			f.Added = append(f.Added, AddedLine{Number: i + 1, Text: trimNewline(lines[i]), Origin: unknown(None)})
		}
	}
	found, err := r.resolve(ctx, work, r.broughtBy)
	if err != nil {
		return err
	}
	for i, o := range found {
		f.Added[i].Origin = o.Origin
	}
	remover, err := r.removerWithoutRecord(ctx, c)
	if err != nil {
		return err
	}
	for i, is := range removed {
		if is {
			f.Removed = append(f.Removed, RemovedLine{Number: i + 1, Text: trimNewline(older[i]), Origin: remover})
		}
	}
	return nil
}

func trimNewline(line []byte) string { return strings.TrimSuffix(string(line), "\n") }

// findExactRemoval finds the record of a file that the commit removed.
func (v *version) findExactRemoval() {
	for _, cp := range v.c.checkpoints {
		if rec := v.r.records.loaded[cp]; rec != nil && v.exact == nil {
			if f := rec.File(recordPath(v.key.path)); f != nil && f.Blob == "" {
				v.exact, v.exactRec, v.exactID = f, rec, cp
			}
		}
	}
}

// fillExact adds the lines to f as the record of exactly this version has them.
func (v *version) fillExact(lines, older [][]byte, f *FileReport) {
	origin := func(owner int) Origin {
		return v.c.unlessForeign(Origin{Owner: v.exactRec.Owners[owner], Checkpoint: v.exactID, Evidence: Recorded})
	}
	for _, g := range v.exact.Ranges {
		for n := g.Start; n < g.Start+g.Count && n <= len(lines); n++ {
			f.Added = append(f.Added, AddedLine{n, trimNewline(lines[n-1]), origin(g.Owner)})
		}
	}
	for _, g := range v.exact.Removed {
		for n := g.Line; n < g.Line+g.Count && n <= len(older); n++ {
			f.Removed = append(f.Removed, RemovedLine{n, trimNewline(older[n-1]), origin(g.Owner)})
		}
	}
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
