package ownership

import (
	"context"

	"entire/internal/attribution"
	"entire/internal/git"
	"entire/strategy/githead"
	"entire/strategy/sessionstate"
	"entire/strategy/step"
)

// leftFile is the newest step's version of a file that the commit does not change, or has otherwise.
type leftFile struct {
	attributedFile
	path string
	blob git.OID
}

// leftForNext returns the files that the newest step has changed and the commit has not, at most leftOutMax of those
// that are gone in the step.
func leftForNext(ctx context.Context, s *sessionstate.Env, cm githead.MadeCommit, p *stepChain) ([]git.Change, error) {
	if len(p.steps) == 0 {
		return nil, nil
	}
	differ, err := step.CodeDiff(ctx, s, cm.Tree, p.steps[len(p.steps)-1].Tree)
	if err != nil {
		return nil, err
	}
	inCommit := map[string]bool{}
	for _, c := range cm.Changes {
		inCommit[c.Path] = true
	}
	var out []git.Change
	gone := 0
	for _, c := range differ {
		if inCommit[c.Path] || len(out) == attributedMax {
			continue
		}
		if c.NewMode == 0 && step.IsBlob(c.OldMode) && gone < leftOutMax {
			gone++
			out = append(out, c)
		}
		if step.IsBlob(c.NewMode) {
			out = append(out, c)
		}
	}
	return out, nil
}

// leftFile describes the newest step's version of a file, whose lines have these owners.
func (p *historyPlan) leftFile(text []byte, lines []attribution.Line) leftFile {
	f := leftFile{path: p.chain.path, blob: p.tipBlob()}
	for i := range lines {
		lines[i].Added = lines[i].Owner.Class != attribution.Before
	}
	f.Lines = lines
	f.prints, f.strong, _ = attribution.PrintDistinctive(text, lines)
	return f
}

// markMovedToLeft makes unknown, in the memory, the lines that the commit removed from a file and that the newest
// step has in a file which the commit leaves out, or takes in part. Whoever moved them did not write them.
func (m *lineMemory) markMovedToLeft(files map[string]attributedFile, left []leftFile) {
	from := removedBy(files)
	for _, f := range left {
		f.markTaken(from, files)
		m.revise(f.path, f.blob, f.Lines, func(_ int, l attribution.Line) (attribution.Owner, bool) { return unknownOwner, l.Added && l.Moved })
	}
}
