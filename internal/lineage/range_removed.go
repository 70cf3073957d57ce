package lineage

import (
	"context"

	"entire/internal/attribution"
	"entire/internal/lineage/gitblame"
)

// removed finds the last commit of the range that still had each removed line, and who
// removed the line in the commit after it.
func (b *rangeBlame) removed(ctx context.Context, f *ChangedFile) error {
	moved := map[attribution.Print]int{}
	for _, l := range f.Added {
		if l.MovedOnly {
			moved[printOf(l.Text)]++
		}
	}
	var left []*ChangedLine
	var numbers []int
	for i := range f.Removed {
		g := &f.Removed[i]
		if p := printOf(g.Text); moved[p] > 0 {
			moved[p]--
			g.MovedOnly = true
		} else {
			left, numbers = append(left, g), append(numbers, g.Number)
		}
	}
	if len(left) == 0 {
		return nil
	}
	last, err := b.lastSeen(ctx, f, numbers)
	if err != nil {
		return err
	}
	for i, g := range left {
		at := last[i].at
		next := b.history.children[at.commit]
		if at.commit == b.head || len(next) != 1 {
			continue
		}
		g.Commit = next[0].child.OID
		if g.Origin, err = b.r.removedBy(ctx, next[0].child.commit, at, last[i].line); err != nil {
			return err
		}
	}
	return nil
}

func printOf(line string) attribution.Print {
	for _, p := range attribution.PrintLines([]byte(line + "\n")) {
		return p
	}
	return 0
}

// lastSeen returns for each of the given lines of the range's start where it was last.
func (b *rangeBlame) lastSeen(ctx context.Context, f *ChangedFile, lines []int) ([]place, error) {
	at := versionKey{b.from, f.Path}
	if f.OldPath != "" {
		at.path = f.OldPath
	}
	if one := b.history.list; len(one) == 1 && len(one[0].Parents) == 1 { // whatever pairs equal lines, this commit removed them
		out := make([]place, len(lines))
		for i, line := range lines {
			out[i] = place{at, line}
		}
		return out, nil
	}
	return b.history.follow(ctx, at, lines, false)
}

// removedBy returns who removed a line of a commit's only parent: as the record of exactly
// this version says or, without a record, as removerWithoutRecord does.
func (r *Resolver) removedBy(ctx context.Context, c *commit, at versionKey, line int) (Origin, error) {
	if c == nil || len(c.Parents) != 1 || c.Parents[0] != at.commit {
		return unknown(None), nil
	}
	v, err := r.versionOf(ctx, &gitblame.Commit{OID: c.OID, Path: at.path, Parent: at.commit, ParentPath: at.path})
	if err != nil {
		return unknown(None), err
	}
	if v.exact == nil && v.blob.IsZero() {
		v.findExactRemoval()
	}
	if v.exact != nil {
		for _, g := range v.exact.Removed {
			if line >= g.Line && line < g.Line+g.Count {
				return Origin{Owner: v.exactRec.Owners[g.Owner], Checkpoint: v.exactID, Evidence: Recorded}, nil
			}
		}
		return unknown(None), nil
	}
	return r.removerWithoutRecord(ctx, c)
}
