package strategy

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"entire/checkpoint"
	"entire/internal/attribution"
	"entire/internal/git"
)

const (
	// foldedAtOnce is of how many files, or versions of files, the texts are in
	// memory together, as long as one file's versions are not more.
	foldedAtOnce, textsAtOnce = 16, 64

	// versionsMax bounds the versions of one file that are compared, and
	// comparedLines what is compared for one commit, in lines: about a second's work.
	versionsMax   = 100
	comparedLines = 1_500_000
)

// errTooMuch is the error of a commit whose lines are too many to be followed.
var errTooMuch = errors.New("too much to compare")

// fileChain is one file's way to the commit: blobs, zero where there is no file.
type fileChain struct {
	path    string
	origin  git.OID   // under the first step
	steps   []git.OID // in each step
	commit  git.OID
	parents []git.OID // of the commit; none when the commit leaves the file alone
	amended bool      // origin is what the commit replaces
}

// fileChains finds the blobs of the files in the commit, and of those that its
// steps leave for the next one.
func (s *ManualCommitStrategy) fileChains(ctx context.Context, cm madeCommit, p *past) ([]*fileChain, error) {
	var chains []*fileChain
	var paths []string
	add := func(path string, commit git.OID, parents ...git.OID) {
		chains = append(chains, &fileChain{path: path, commit: commit, parents: parents, amended: p.amended})
		paths = append(paths, path)
	}
	for _, c := range cm.changes {
		if (isBlob(c.OldMode) || isBlob(c.NewMode)) && !s.tooLarge(c) {
			add(c.Path, blobOf(c.NewMode, c.New), blobOf(c.OldMode, c.Old))
		}
	}
	left, err := s.leftOut(ctx, cm, p)
	if err != nil {
		return nil, err
	}
	for _, c := range left {
		add(c.Path, blobOf(c.OldMode, c.Old))
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
	at, err := s.filesAt(ctx, trees, paths)
	if err != nil {
		return nil, err
	}
	for k, c := range chains {
		c.place(at, k, len(p.steps), p.base.IsZero())
	}
	return chains, s.followRenames(ctx, cm, p, chains)
}

// place puts the k-th path's blobs into the chain: those of the origin, the steps
// and the commit's other parents.
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

// leftOut are the files that the newest step has changed and the commit has not.
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
	var left []git.Change
	for _, c := range differ {
		if !inCommit[c.Path] && isBlob(c.NewMode) && len(left) < attributedMax {
			left = append(left, c)
		}
	}
	return left, nil
}

// tooLarge spares reading a file that would not be compared anyway.
func (s *ManualCommitStrategy) tooLarge(c git.Change) bool {
	if !isBlob(c.NewMode) {
		return false
	}
	fi, err := os.Lstat(filepath.Join(s.repo.Top, filepath.FromSlash(c.Path)))
	return err == nil && fi.Mode().IsRegular() && fi.Size() > attribution.MaxBytes
}

func blobOf(mode uint32, oid git.OID) git.OID {
	if !isBlob(mode) {
		return git.OID{}
	}
	return oid
}

// foldAll attributes the files of the commit and remembers whose the lines are,
// of the commit and of what it left out.
func (s *ManualCommitStrategy) foldAll(ctx context.Context, chains []*fileChain, p *past, memory *lineMemory, done func(string, attribution.File)) error {
	compared := 0
	for len(chains) > 0 {
		var plans []filePlan
		var oids []git.OID
		for _, c := range chains[:min(foldedAtOnce, len(chains))] {
			plan := c.plan(p, memory)
			blobs := plan.blobs()
			if len(blobs) > versionsMax {
				return c.tooMuch()
			}
			if len(plans) > 0 && len(oids)+len(blobs) > textsAtOnce {
				break
			}
			plans, oids = append(plans, plan), append(oids, blobs...)
		}
		texts, err := s.texts(ctx, oids)
		if err != nil {
			return err
		}
		n := len(plans)
		for i, c := range chains[:n] {
			if compared += plans[i].cost(texts); compared > comparedLines {
				return c.tooMuch()
			}
			if err := ctx.Err(); err != nil {
				return err
			}
			if f, ok := plans[i].fold(texts, memory); ok {
				done(c.path, f)
			}
		}
		chains = chains[n:]
	}
	return nil
}

// filePlan is what a file's history will be told.
type filePlan struct {
	chain *fileChain
	begin git.OID
	told  []toldVersion
	tip   int // how many of told lead to the newest step
}

type toldVersion struct {
	oid   git.OID
	by    attribution.Owner
	after int
	known []attribution.Line
}

// plan tells apart whose each change of the file was. Changes of one maker in a
// row are one.
func (c *fileChain) plan(p *past, memory *lineMemory) filePlan {
	plan := filePlan{chain: c, begin: c.origin}
	if c.amended && len(c.parents) > 0 {
		plan.begin = c.parents[0]
		plan.tell(toldVersion{oid: c.origin, known: orNone(memory.lines(c.path, c.origin))})
	}
	version := make([]int, len(c.steps)) // what each step is to the history; see attribution.Version
	for i, oid := range c.steps {
		v := toldVersion{oid: oid, by: p.authors.of(i, c.path)}
		switch kind := p.steps[i].info.Kind; {
		case i == 0 && (kind == checkpoint.StepCarryForward || kind == checkpoint.StepMixed):
			if known := memory.lines(c.path, oid); known != nil || kind == checkpoint.StepCarryForward {
				v.known = orNone(known)
			}
		case kind == checkpoint.StepRewind:
			for k := range i {
				if p.steps[k].OID == p.steps[i].info.Target {
					v.after, v.by = version[k], attribution.Owner{Class: attribution.Person}
				}
			}
		}
		plan.tell(v)
		if version[i] = len(plan.told); version[i] == 0 {
			version[i] = -1
		}
	}
	plan.tip = len(plan.told)
	plan.tell(toldVersion{oid: c.commit, by: p.authors.of(len(c.steps), c.path)})
	return plan
}

// orNone turns what nobody remembers into lines that nobody knows.
func orNone(known []attribution.Line) []attribution.Line {
	if known == nil {
		return []attribution.Line{}
	}
	return known
}

// tell adds a version unless nothing changed.
func (p *filePlan) tell(v toldVersion) {
	before := p.begin
	if n := len(p.told); n > 0 {
		before = p.told[n-1].oid
	}
	if before != v.oid {
		p.told = append(p.told, v)
	}
}

// blobs are those whose text is needed: of changes of one maker in a row, without
// going back in between, the last one's is enough.
func (p *filePlan) blobs() []git.OID {
	back := false
	for _, v := range p.told {
		back = back || v.after != 0
	}
	if !back {
		var short []toldVersion
		tip := 0
		for i, v := range p.told {
			if n := len(short); n > 0 && i != p.tip && v.known == nil && short[n-1].known == nil && short[n-1].by == v.by {
				short[n-1] = v
			} else {
				short = append(short, v)
			}
			if i < p.tip {
				tip = len(short)
			}
		}
		p.told, p.tip = short, tip
	}
	oids := append([]git.OID{p.begin}, p.chain.parents...)
	for _, v := range p.told {
		oids = append(oids, v.oid)
	}
	return oids
}

// tooMuch is the end of the work at this file. The commit's own come first: of
// those that are only to be remembered some may be forgotten.
func (c *fileChain) tooMuch() error {
	if len(c.parents) == 0 {
		return nil
	}
	return fmt.Errorf("%s: %w", c.path, errTooMuch)
}

// cost is how many lines are looked at: each version is compared with the one
// before, and what is new in it is sought in all earlier ones.
func (p *filePlan) cost(texts map[git.OID][]byte) int {
	count := func(oid git.OID) int { return bytes.Count(texts[oid], []byte{'\n'}) + 1 }
	seen := count(p.begin)
	sum := seen
	for _, v := range p.told {
		seen += count(v.oid)
		sum += seen
	}
	for _, oid := range p.chain.parents {
		sum += count(oid)
	}
	return sum
}

// fold attributes the file; not ok when it is binary or too large, or was only to
// be remembered.
func (p *filePlan) fold(texts map[git.OID][]byte, memory *lineMemory) (attribution.File, bool) {
	for _, oid := range append([]git.OID{p.begin, p.chain.commit}, p.chain.parents...) {
		if text, ok := texts[oid]; !ok || !attribution.Countable(text) {
			return attribution.File{}, false
		}
	}
	h := attribution.Begin(texts[p.begin])
	for i, v := range p.told {
		text := texts[v.oid]
		if i == p.tip {
			memory.put(p.chain.path, p.tipBlob(), h.Lines())
			if len(p.chain.parents) == 0 {
				return attribution.File{}, false
			}
		}
		if !attribution.Countable(text) {
			text = nil
		}
		h.Step(attribution.Version{Text: text, By: v.by, After: v.after, Known: v.known})
	}
	if len(p.chain.parents) == 0 {
		return attribution.File{}, false
	}
	memory.put(p.chain.path, p.chain.commit, h.Lines())
	var parents [][]byte
	for _, oid := range p.chain.parents {
		parents = append(parents, texts[oid])
	}
	return h.Commit(parents...), true
}

func (p *filePlan) tipBlob() git.OID {
	if p.tip == 0 {
		return p.begin
	}
	return p.told[p.tip-1].oid
}
