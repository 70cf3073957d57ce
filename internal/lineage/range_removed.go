package lineage

import (
	"context"
	"errors"

	"entire/internal/attribution"
	"entire/internal/git"
)

// removed finds the last commit of the range that still had each removed line, and who
// removed the line in the commit after it.
func (b *rangeBlame) removed(ctx context.Context, f *NetFile, removed []bool, lines [][]byte) error {
	moved := map[attribution.Print]int{}
	for _, l := range f.Added {
		if l.MovedOnly {
			moved[printOf(l.Text)]++
		}
	}
	var ask []lineQuery
	for i, is := range removed {
		if !is {
			continue
		}
		g := NetRemoval{RemovedLine: RemovedLine{Number: i + 1, Text: trimNewline(lines[i]), Origin: unknown(None)}}
		if p := printOf(g.Text); moved[p] > 0 {
			moved[p]--
			g.MovedOnly = true
		} else {
			ask = append(ask, lineQuery{line: i + 1})
		}
		f.Removed = append(f.Removed, g)
	}
	if len(ask) == 0 {
		return nil
	}
	last, err := b.lastSeen(ctx, f, ask)
	if err != nil {
		return err
	}
	for i := range f.Removed {
		g := &f.Removed[i]
		t, ok := last[g.Number]
		if !ok || g.MovedOnly || t.commit.oid == b.head {
			continue
		}
		if next := b.children[t.commit.oid]; len(next) == 1 {
			g.Commit = next[0]
			if g.Origin, err = b.r.removedBy(ctx, b.r.commits[next[0]], t.commit.oid, t.commit.path, t.line); err != nil {
				return err
			}
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

// lastSeen returns, for each of the given lines of the range's start, the last commit that
// still had it.
func (b *rangeBlame) lastSeen(ctx context.Context, f *NetFile, ask []lineQuery) (map[int]blamedLine, error) {
	path := f.Path
	if f.OldPath != "" {
		path = f.OldPath
	}
	last := map[int]blamedLine{}
	if len(b.net.Commits) == 1 && len(b.net.Commits[0].Parents) == 1 {
		for _, p := range ask {
			last[p.line] = blamedLine{p.line, p.line, &blamedCommit{oid: b.net.From, path: path}, ""}
		}
		return last, nil
	}
	raw, err := b.r.blame(ctx, b.revisions(), path, spansOf(ask), "--reverse")
	var refused *git.ExitError
	if errors.As(err, &refused) && ctx.Err() == nil {
		return nil, nil // a side branch removed the file: the removers are unknown
	}
	if err != nil {
		return nil, err
	}
	for _, t := range raw {
		last[t.number] = t
	}
	return last, nil
}

// removedBy returns who removed a line of a commit's only parent: as the record of exactly
// this version says or, without a record, as removerWithoutRecord does.
func (r *Resolver) removedBy(ctx context.Context, c *commit, parent git.OID, path string, line int) (Origin, error) {
	if c == nil || len(c.Parents) != 1 || c.Parents[0] != parent {
		return unknown(None), nil
	}
	v, err := r.versionOf(ctx, &blamedCommit{oid: c.OID, path: path, parent: parent, parentPath: path})
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
