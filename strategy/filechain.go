package strategy

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"entire/internal/attribution"
	"entire/internal/git"
)

const (
	// foldedAtOnce and textsAtOnce bound the files, and the versions of files, whose texts are in
	// memory together, unless one file alone has more versions.
	foldedAtOnce, textsAtOnce = 16, 64

	// versionsMax bounds the versions of one file that are compared, turnsMax those up to which an
	// agent's turns are told apart, and comparedLines the lines that are compared for one commit:
	// about a second's work.
	versionsMax   = 100
	turnsMax      = 24
	comparedLines = 6_000_000

	// passedSteps is the number of steps above which files with reverted changes are not searched
	// for.
	passedSteps = 50

	// largeFile is the size from which a file's texts are held in memory without those of other
	// files.
	largeFile = 512 << 10
)

// errTooMuch is the error for a file with too many lines to compare.
var errTooMuch = errors.New("too much to compare")

// fileChain is the history of one file up to the commit, as blobs; a zero blob is no file.
type fileChain struct {
	path    string
	origin  git.OID   // before the first step
	steps   []git.OID // in each step
	commit  git.OID
	parents []git.OID // in the commit's parents; none if the commit does not change the file
	amended bool      // origin is the version in the commit that is replaced
	large   bool

	came map[int]git.OID // what a move of HEAD brought before a step
	was  map[int]string  // its name in a step, if that was another one
}

// at returns the file's name in a step, or in the commit for the index after the last step.
func (c *fileChain) at(step int) string {
	if name, other := c.was[step]; other {
		return name
	}
	return c.path
}

// names returns all names that the file had, the present one first.
func (c *fileChain) names() []string {
	out := []string{c.path}
	for _, name := range c.was {
		if !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}

// fileChains finds the blobs of the commit's files, of the files that its steps leave for the
// next commit, and of files whose changes were reverted.
func (s *ManualCommitStrategy) fileChains(ctx context.Context, cm madeCommit, p *past) ([]*fileChain, error) {
	var chains []*fileChain
	var paths []string
	add := func(c git.Change, commit git.OID, parents ...git.OID) {
		size := s.sizeOf(c)
		if size > attribution.MaxBytes {
			return
		}
		chains = append(chains, &fileChain{path: c.Path, commit: commit, parents: parents, amended: p.amended, large: size > largeFile})
		paths = append(paths, c.Path)
	}
	for _, c := range cm.changes {
		if isBlob(c.OldMode) || isBlob(c.NewMode) {
			add(c, blobOf(c.NewMode, c.New), blobOf(c.OldMode, c.Old))
		}
	}
	leftOver, err := s.leftOut(ctx, cm, p)
	if err != nil {
		return nil, err
	}
	for _, c := range leftOver {
		add(c, blobOf(c.OldMode, c.Old))
	}
	trees := []git.OID{p.base}
	for _, st := range p.steps {
		trees = append(trees, st.Tree)
	}
	for _, other := range cm.Parents[min(1, len(cm.Parents)):] {
		tree, err := s.headTree(ctx, other)
		if err != nil {
			return nil, err
		}
		trees = append(trees, tree)
	}
	known := map[git.OID][]git.TreeEntry{}
	at, err := s.filesKnown(ctx, trees, paths, known)
	if err != nil {
		return nil, err
	}
	firstPassed := len(chains)
	passed, err := s.passedThrough(ctx, p, setOf(paths), known)
	if err != nil {
		return nil, err
	}
	for _, c := range passed {
		add(c, git.OID{})
	}
	if len(chains) > firstPassed {
		more, err := s.filesKnown(ctx, trees, paths[firstPassed:], known)
		if err != nil {
			return nil, err
		}
		for i := range at {
			at[i] = append(at[i], more[i]...)
		}
	}
	moves, err := s.baseMoves(ctx, p, paths)
	if err != nil {
		return nil, err
	}
	for k, c := range chains {
		c.place(at, k, len(p.steps), p.base.IsZero())
		c.led(moves, k)
		if had, ok := p.had[c.path]; ok {
			c.origin = had
		}
		if k >= firstPassed {
			c.commit = c.steps[len(c.steps)-1]
		}
	}
	return chains, s.followRenames(ctx, cm, p, chains)
}

// movedBase is a move of HEAD before a step, with the files' blobs on both sides.
type movedBase struct {
	step     int
	from, to []git.OID
}

// baseMoves finds the moves of HEAD between the steps. A move from or to a commit that git lacks
// is skipped.
func (s *ManualCommitStrategy) baseMoves(ctx context.Context, p *past, paths []string) ([]movedBase, error) {
	var moves []movedBase
	var trees []git.OID
	for i := 1; i < len(p.steps); i++ {
		was, is := p.steps[i-1].info.Base, p.steps[i].info.Base
		if was == is || was.IsZero() || is.IsZero() {
			continue
		}
		from, err := s.headTree(ctx, was)
		if err == nil {
			var to git.OID
			if to, err = s.headTree(ctx, is); err == nil {
				moves, trees = append(moves, movedBase{step: i}), append(trees, from, to)
			}
		}
		if err != nil && !errors.Is(err, git.ErrMissing) {
			return nil, err
		}
	}
	if len(moves) == 0 {
		return nil, nil
	}
	at, err := s.filesAt(ctx, trees, paths)
	if err != nil {
		return nil, err
	}
	for i := range moves {
		moves[i].from, moves[i].to = at[2*i], at[2*i+1]
	}
	return moves, nil
}

// led notes what the moves of HEAD brought to the k-th path, if the worktree's file followed.
// Nobody changed the file then.
func (c *fileChain) led(moves []movedBase, k int) {
	for _, m := range moves {
		if from, to := m.from[k], m.to[k]; from != to && c.steps[m.step-1] == from {
			if c.came == nil {
				c.came = map[int]git.OID{}
			}
			c.came[m.step] = to
		}
	}
}

// place sets the k-th path's blobs: those of the origin, the steps and the commit's other
// parents.
func (c *fileChain) place(at [][]git.OID, k, steps int, onParent bool) {
	c.origin = at[0][k]
	if onParent {
		c.origin = c.commit
		if len(c.parents) > 0 {
			c.origin = c.parents[0]
		}
	}
	for i := range steps {
		c.steps = append(c.steps, at[1+i][k])
	}
	if len(c.parents) > 0 {
		for _, other := range at[1+steps:] {
			c.parents = append(c.parents, other[k])
		}
	}
}

// leftOut returns the files that the newest step has changed and the commit has not.
func (s *ManualCommitStrategy) leftOut(ctx context.Context, cm madeCommit, p *past) ([]git.Change, error) {
	if len(p.steps) == 0 {
		return nil, nil
	}
	differ, err := s.codeDiff(ctx, cm.Tree, p.steps[len(p.steps)-1].Tree)
	if err != nil {
		return nil, err
	}
	inCommit := map[string]bool{}
	for _, c := range cm.changes {
		inCommit[c.Path] = true
	}
	var out []git.Change
	for _, c := range differ {
		if !inCommit[c.Path] && isBlob(c.NewMode) && len(out) < attributedMax {
			out = append(out, c)
		}
	}
	return out, nil
}

// passedThrough returns the files that steps have changed and that are as before, or gone: their
// lines may be in other files now.
func (s *ManualCommitStrategy) passedThrough(ctx context.Context, p *past, seen map[string]bool, known map[git.OID][]git.TreeEntry) ([]git.Change, error) {
	if p.amended || len(p.steps) < 2 || len(p.steps) > passedSteps {
		return nil, nil
	}
	var out []git.Change
	for i, st := range p.steps[1:] {
		changes, err := s.repo.DiffKnown(ctx, p.steps[i].Tree, st.Tree, known, ownFolder)
		if err != nil {
			return nil, err
		}
		for _, c := range changes {
			if !seen[c.Path] && isBlob(c.OldMode) && len(out) < leftMax {
				seen[c.Path] = true
				out = append(out, c)
			}
		}
	}
	return out, nil
}

// sizeOf returns a file's size on disk, so that a file which is too large to compare is not read.
func (s *ManualCommitStrategy) sizeOf(c git.Change) int64 {
	if !isBlob(c.NewMode) {
		return 0
	}
	fi, err := os.Lstat(filepath.Join(s.repo.Top, filepath.FromSlash(c.Path)))
	if err != nil || !fi.Mode().IsRegular() {
		return 0
	}
	return fi.Size()
}

// blobOf returns the ID of a regular file or link, zero for anything else.
func blobOf(mode uint32, oid git.OID) git.OID {
	if !isBlob(mode) {
		return git.OID{}
	}
	return oid
}

// foldAll attributes the files of the commit, and remembers the owners of their lines and of the
// lines that the commit left out. A file of the commit that cannot be followed is passed over;
// the error names it at the end.
func (s *ManualCommitStrategy) foldAll(ctx context.Context, chains []*fileChain, p *past, memory *lineMemory, at *folding, done func(*fileChain, foldedFile)) error {
	compared := 0
	var skipped []error
	for len(chains) > 0 {
		plans, oids, n := nextPlans(chains, p, memory, &skipped)
		texts, err := s.texts(ctx, oids)
		if err != nil {
			return err
		}
		for i := range plans {
			plan := &plans[i]
			cost := plan.cost(texts)
			if compared+cost > comparedLines || ctx.Err() != nil {
				skipped = append(skipped, plan.chain.tooMuch())
				continue
			}
			compared += cost
			if f, ok := plan.fold(texts, memory, at); ok {
				done(plan.chain, f)
			}
		}
		chains = chains[n:]
	}
	return errors.Join(skipped...)
}

// nextPlans plans the next files, as many as are in memory together, and returns their number n.
func nextPlans(chains []*fileChain, p *past, memory *lineMemory, skipped *[]error) (plans []filePlan, oids []git.OID, n int) {
	for _, c := range chains[:min(foldedAtOnce, len(chains))] {
		plan := c.plan(p, memory)
		blobs := plan.blobs()
		if len(blobs) > versionsMax {
			*skipped = append(*skipped, c.tooMuch())
			n++
			continue
		}
		if len(plans) > 0 && (c.large || len(oids)+len(blobs) > textsAtOnce) {
			break
		}
		plans, oids = append(plans, plan), append(oids, blobs...)
		n++
		if c.large {
			break
		}
	}
	return plans, oids, n
}

// tooMuch is the error for a file that is passed over; nil for a file that the commit does not
// change.
func (c *fileChain) tooMuch() error {
	if len(c.parents) == 0 {
		return nil
	}
	return fmt.Errorf("%s: %w", c.path, errTooMuch)
}

// foldedFile is a file of the commit with the owners of its lines.
type foldedFile struct {
	attribution.File
	prints  attribution.Prints // of the added lines
	strong  []bool             // which of the added lines are distinctive
	gone    attribution.Prints // of the removed lines
	lost    []attribution.Lost
	dropped attribution.Prints // of the lost lines
}

// folding holds buffers and results that are shared by the files of one commit.
type folding struct {
	room  attribution.Room
	lines []attribution.Line
	left  []lostOf // lines that the commit has left out
	lost  []lostOf // lines lost by files that the commit does not change
}

// fold attributes the file. It returns false if the file is binary or too large, or if its lines
// were only to be remembered.
func (p *filePlan) fold(texts map[git.OID][]byte, memory *lineMemory, at *folding) (foldedFile, bool) {
	tell := func(text []byte, lines []attribution.Line) { p.authors.tellApart(p.chain.names(), text, lines) }
	for _, oid := range append([]git.OID{p.begin, p.chain.commit}, p.chain.parents...) {
		if text, ok := texts[oid]; !ok || !attribution.Countable(text) {
			return foldedFile{}, false
		}
	}
	h := at.room.Begin(texts[p.begin])
	var owned []attribution.Line // of the newest step's lines, where the commit has another version
	remember := func(oid git.OID) {
		at.lines = h.AppendLines(at.lines[:0])
		tell(texts[oid], at.lines)
		if owned != nil {
			leaveReworded(texts[p.tipBlob()], owned, texts[oid], at.lines)
		}
		memory.put(p.chain.path, oid, at.lines)
	}
	for i, v := range p.told {
		text := texts[v.oid]
		if i == p.tip {
			remember(p.tipBlob())
			owned = slices.Clone(at.lines)
			if len(p.chain.parents) == 0 {
				at.leave(p.chain.path, texts[p.tipBlob()])
				at.lost = append(at.lost, lostOf{p.chain.path, h.Lost()})
				return foldedFile{}, false
			}
		}
		if !attribution.Countable(text) {
			text = nil
		}
		h.Step(attribution.Version{Text: text, By: v.by, After: v.after, Known: v.known, Anew: p.anew(i, texts)})
	}
	if len(p.chain.parents) == 0 {
		at.lost = append(at.lost, lostOf{p.chain.path, h.Lost()})
		return foldedFile{}, false
	}
	remember(p.chain.commit)
	var parents [][]byte
	for _, oid := range p.chain.parents {
		parents = append(parents, texts[oid])
	}
	f := h.Commit(parents...)
	text := texts[p.chain.commit]
	tell(text, f.Lines)
	if owned != nil {
		leaveReworded(texts[p.tipBlob()], owned, text, f.Lines)
	}
	folded := foldedFile{File: f, gone: attribution.PrintRemoved(parents[0], f.Removed), lost: h.Lost()}
	folded.dropped = attribution.Dropped(folded.lost)
	folded.prints, folded.strong = attribution.PrintStrong(text, f.Lines)
	return folded, true
}
