package ownership

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"entire/internal/attribution"
	"entire/internal/git"
	"entire/strategy/evidence"
	"entire/strategy/githead"
	"entire/strategy/sessionstate"
	"entire/strategy/step"
	"entire/strategy/transcript"
	"entire/strategy/worktree"
)

const (
	// filesInMemory and textsInMemory bound the files, and the versions of files, whose texts are in
	// memory together, unless one file alone has more versions.
	filesInMemory, textsInMemory = 16, 64

	// VersionsMax bounds the versions of one file that are compared, turnsMax those up to which an
	// agent's turns are told apart, and comparedLines the lines that are compared for one commit:
	// about a second's work.
	VersionsMax   = 100
	turnsMax      = 24
	comparedLines = 6_000_000

	// revertedStepsMax is the number of steps above which files with reverted changes are not searched
	// for.
	revertedStepsMax = 50

	// largeFile is the size from which a file's texts are held in memory without those of other
	// files.
	largeFile = 512 << 10
)

// errTooMuch is the error for a file with too many lines to compare.
var errTooMuch = errors.New("too much to compare")

// lineHistory is the history of one file up to the commit, as blobs; a zero blob is no file.
type lineHistory struct {
	path    string
	origin  git.OID   // before the first step
	steps   []git.OID // in each step
	commit  git.OID
	parents []git.OID // in the commit's parents; none if the commit does not change the file
	amended bool      // origin is the version in the commit that is replaced
	large   bool
	stashed bool // a stash has another version than the commit it was made on

	brought  map[int]git.OID // see noteBrought
	oldNames map[int]string  // its name in a step, if that was another one
}

// nameAt returns the file's name in a step, or in the commit for the index after the last step.
func (c *lineHistory) nameAt(step int) string {
	if name, other := c.oldNames[step]; other {
		return name
	}
	return c.path
}

// names returns all names that the file had, the present one first.
func (c *lineHistory) names() []string {
	out := []string{c.path}
	for _, name := range c.oldNames {
		if !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}

// lineHistories finds the blobs of the commit's files, of the files that its steps leave for the
// next commit, and of files whose changes were reverted.
func lineHistories(ctx context.Context, s *sessionstate.Env, cm githead.MadeCommit, p *stepChain) ([]*lineHistory, error) {
	h := &historyList{s: s, p: p, known: map[git.OID][]git.TreeEntry{}}
	for _, c := range cm.Changes {
		if step.IsBlob(c.OldMode) || step.IsBlob(c.NewMode) {
			h.add(c, step.BlobOf(c.NewMode, c.New), step.BlobOf(c.OldMode, c.Old))
		}
	}
	leftOver, err := leftForNext(ctx, s, cm, p)
	if err != nil {
		return nil, err
	}
	for _, c := range leftOver {
		h.add(c, step.BlobOf(c.OldMode, c.Old))
	}
	trees := p.trees()
	for _, other := range cm.Parents[min(1, len(cm.Parents)):] {
		tree, err := worktree.HeadTree(ctx, s, other)
		if err != nil {
			return nil, err
		}
		trees = append(trees, tree)
	}
	if err := h.find(ctx, trees, 0); err != nil {
		return nil, err
	}
	firstPassed := len(h.list)
	passed, err := revertedFiles(ctx, s, p, worktree.SetOf(h.paths), h.known)
	if err != nil {
		return nil, err
	}
	for _, c := range passed {
		h.add(c, git.OID{})
	}
	if err := h.find(ctx, trees, firstPassed); err != nil {
		return nil, err
	}
	for _, c := range h.list[firstPassed:] {
		c.commit = c.steps[len(c.steps)-1]
	}
	moves, err := headMovesAmong(ctx, s, p, h.paths)
	if err != nil {
		return nil, err
	}
	ev := evidence.Evidence(ctx, s)
	for k, c := range h.list {
		c.noteHeadMoves(moves, k)
		c.stashed = ev.StashChanges(c.path)
	}
	return h.list, followRenames(ctx, s, cm, p, h.list)
}

// historyList collects the histories of a chain's files.
type historyList struct {
	s     *sessionstate.Env
	p     *stepChain
	list  []*lineHistory
	paths []string // of list
	known map[git.OID][]git.TreeEntry
}

// add adds a changed file, unless it is too large to compare.
func (h *historyList) add(c git.Change, commit git.OID, parents ...git.OID) {
	if size := sizeOf(h.s, c); size <= attribution.MaxBytes {
		h.list = append(h.list, &lineHistory{path: c.Path, commit: commit, parents: parents, amended: h.p.amended, large: size > largeFile})
		h.paths = append(h.paths, c.Path)
	}
}

// find sets the blobs of the files from index first on: those in the trees of the origin, the steps and the commit's
// other parents.
func (h *historyList) find(ctx context.Context, trees []git.OID, first int) error {
	at, err := step.BlobsAtKnown(ctx, h.s, trees, h.paths[first:], h.known)
	if err != nil {
		return err
	}
	for k, c := range h.list[first:] {
		c.setBlobs(at, k, len(h.p.steps), h.p.base.IsZero())
		if had, ok := h.p.replacedFiles[c.path]; ok {
			c.origin = had
		}
	}
	return nil
}

// setBlobs sets the k-th path's blobs: those of the origin, the steps and the commit's other
// parents.
func (c *lineHistory) setBlobs(at [][]git.OID, k, steps int, onParent bool) {
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

// revertedFiles returns the files that steps have changed and that are as before, or gone: their
// lines may be in other files now.
func revertedFiles(ctx context.Context, s *sessionstate.Env, p *stepChain, seen map[string]bool, known map[git.OID][]git.TreeEntry) ([]git.Change, error) {
	trees := p.trees()
	if p.base.IsZero() {
		trees = trees[1:]
	}
	if p.amended || len(trees) < 2 || len(p.steps) > revertedStepsMax {
		return nil, nil
	}
	var out []git.Change
	for i, tree := range trees[1:] {
		changes, err := s.Repo.DiffKnown(ctx, trees[i], tree, known, worktree.OwnFolder)
		if err != nil {
			return nil, err
		}
		for _, c := range changes {
			if !seen[c.Path] && step.IsBlob(c.OldMode) && len(out) < leftOutMax {
				seen[c.Path] = true
				out = append(out, c)
			}
		}
	}
	return out, nil
}

// sizeOf returns a file's size on disk, so that a file which is too large to compare is not read.
func sizeOf(s *sessionstate.Env, c git.Change) int64 {
	if !step.IsBlob(c.NewMode) {
		return 0
	}
	fi, err := os.Lstat(filepath.Join(s.Repo.Top, filepath.FromSlash(c.Path)))
	if err != nil || !fi.Mode().IsRegular() {
		return 0
	}
	return fi.Size()
}

// attributeAll attributes the files of the commit, and remembers the owners of their lines and of the
// lines that the commit left out. A file of the commit that cannot be followed is passed over;
// the error names it at the end.
func attributeAll(ctx context.Context, s *sessionstate.Env, chains []*lineHistory, p *stepChain, memory *lineMemory, at *attributionBuffers, done func(*lineHistory, attributedFile)) error {
	compared := 0
	var skipped []error
	for len(chains) > 0 {
		plans, oids, n := nextPlans(chains, p, memory, &skipped)
		texts, err := transcript.BlobTexts(ctx, s, oids)
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
			if f, ok := plan.attribute(texts, memory, at); ok {
				done(plan.chain, f)
			}
		}
		chains = chains[n:]
	}
	return errors.Join(skipped...)
}

// nextPlans plans the next files, as many as are in memory together, and returns their number n.
func nextPlans(chains []*lineHistory, p *stepChain, memory *lineMemory, skipped *[]error) (plans []historyPlan, oids []git.OID, n int) {
	for _, c := range chains[:min(filesInMemory, len(chains))] {
		plan := c.plan(p, memory)
		blobs := plan.blobs()
		if len(blobs) > VersionsMax {
			*skipped = append(*skipped, c.tooMuch())
			n++
			continue
		}
		if len(plans) > 0 && (c.large || len(oids)+len(blobs) > textsInMemory) {
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
func (c *lineHistory) tooMuch() error {
	if len(c.parents) == 0 {
		return nil
	}
	return fmt.Errorf("%s: %w", c.path, errTooMuch)
}

// attributedFile is a file of the commit with the owners of its lines.
type attributedFile struct {
	attribution.File
	prints  attribution.Prints // of the added lines
	strong  []bool             // which of the added lines are distinctive
	letters []int              // how many letters the distinctive ones have
	written []interval         // when the lines were written
	settled []bool             // the lines whose owner another place of the same text has decided
	gone    attribution.Prints // of the removed lines
	lost    []lostLine
	dropped attribution.Prints // of the lost lines
	parent  []byte             // the file in the commit's first parent
	former  []string           // names that the file had in the steps

	waiting turnEndLines
}

// attributionBuffers holds buffers and results that are shared by the files of one commit.
type attributionBuffers struct {
	room    attribution.Workspace
	lines   []attribution.Line
	leftOut []lostLine // lines that the commit has left out
	lost    []lostLine // lines lost by files that the commit does not change
	left    []leftFile // at most leftOutMax
}

// attribute attributes the file. It returns false if the file is binary or too large, or if its lines
// were only to be remembered.
func (p *historyPlan) attribute(texts map[git.OID][]byte, memory *lineMemory, at *attributionBuffers) (attributedFile, bool) {
	tell := func(text []byte, lines []attribution.Line) { p.authors.splitAuthors(p.chain.names(), text, lines) }
	for _, oid := range append([]git.OID{p.begin, p.chain.commit}, p.chain.parents...) {
		if text, ok := texts[oid]; !ok || !attribution.Countable(text) {
			return attributedFile{}, false
		}
	}
	h := at.room.Begin(texts[p.begin])
	remember := func(oid git.OID) {
		at.lines = h.AppendLines(at.lines[:0])
		tell(texts[oid], at.lines)
		memory.remember(p.chain.path, oid, at.lines)
	}
	for i, v := range p.versions {
		text := texts[v.oid]
		if i == p.tip {
			remember(p.tipBlob())
			more := len(at.left) < leftOutMax
			if more {
				at.left = append(at.left, p.leftFile(texts[p.tipBlob()], slices.Clone(at.lines)))
			}
			if len(p.chain.parents) == 0 {
				if more {
					at.leftOut = append(at.leftOut, p.lostLines(attribution.DistinctiveLines(texts[p.tipBlob()], at.lines))...)
				}
				at.lost = append(at.lost, p.lostLines(append(h.DroppedLines(), h.LostOlderLines()...))...)
				return attributedFile{}, false
			}
		}
		if !attribution.Countable(text) {
			text = nil
		}
		is := attribution.Version{Text: text, Owner: v.by, After: v.after, Known: v.known, Recreated: p.replacesFile(i, texts)}
		if turns := p.authors.turnsAt(v.last); len(turns) > 0 {
			is.Wrote = func(l attribution.Print, removed attribution.Owner) bool { return p.writtenAnew(i, turns, l, removed) }
		}
		h.Step(is)
		if p.chain.stashed && i < p.tip-1 && text != nil {
			remember(v.oid) // the stash may hold it
		}
	}
	if len(p.chain.parents) == 0 {
		at.lost = append(at.lost, p.lostLines(append(h.DroppedLines(), h.LostOlderLines()...))...)
		return attributedFile{}, false
	}
	remember(p.chain.commit)
	var parents [][]byte
	for _, oid := range p.chain.parents {
		parents = append(parents, texts[oid])
	}
	f := h.Commit(parents...)
	text := texts[p.chain.commit]
	waiting := p.authors.waitingLines(p.chain.path, f.Lines)
	tell(text, f.Lines)
	out := p.described(f, text, parents[0], h.DroppedLines())
	out.waiting = waiting
	return out, true
}

// described adds to a file's owners what claims and moved lines are looked for by.
func (p *historyPlan) described(f attribution.File, text, parent []byte, dropped []attribution.DroppedLine) attributedFile {
	out := attributedFile{File: f, parent: parent, gone: attribution.PrintRemoved(parent, f.Removed), lost: p.lostLines(dropped),
		dropped: attribution.DroppedPrints(dropped), settled: make([]bool, len(f.Lines)), former: p.chain.names()[1:]}
	out.prints, out.strong, out.letters = attribution.PrintDistinctive(text, f.Lines)
	for _, l := range f.Lines {
		out.written = append(out.written, p.when(l.Version))
	}
	return out
}
