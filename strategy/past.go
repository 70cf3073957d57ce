package strategy

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"entire/checkpoint"
	"entire/internal/git"
)

// pastMax bounds how many steps of a branch are read.
const pastMax = 2000

// past is the step chain that led to a commit: the steps of one shadow branch since the last
// checkpoint, oldest first, and which sessions were active during each.
type past struct {
	steps  []step
	origin git.Commit // the commit under the first step, or the one that the sessions have as base; zero if it is the parent
	base   git.OID    // origin's tree; zero if origin is

	// amended: the commit replaces origin. moved: the commit is based on another commit than
	// origin.
	amended, moved bool

	had map[string]git.OID // the blobs of a replaced commit that is known only from its record, by path; nil otherwise

	authors *authors
}

// pasts returns the step chains of the sessions. It returns none if an earlier call for this commit
// removed the branches, or if there were none.
func (s *ManualCommitStrategy) pasts(ctx context.Context, cm madeCommit, all []*open) ([]*past, error) {
	var out []*past
	seen := map[string]bool{}
	for _, o := range all {
		base := baseOf(o)
		ref := s.shadowRef(base)
		if seen[ref] {
			continue
		}
		seen[ref] = true
		steps, err := s.stepsOf(ctx, ref)
		if err != nil {
			return nil, err
		}
		var concurrent []*open
		for _, other := range all {
			if s.shadowRef(baseOf(other)) == ref {
				concurrent = append(concurrent, other)
			}
		}
		if len(steps) == 0 && !slices.ContainsFunc(concurrent, inFirstStep) {
			continue
		}
		p := &past{steps: steps}
		if err := s.findOrigin(ctx, p, cm, base); err != nil {
			return nil, err
		}
		p.authors = s.newAuthors(ctx, steps, concurrent)
		out = append(out, p)
	}
	return out, nil
}

// inFirstStep reports whether the session is in a turn that began at HEAD itself.
func inFirstStep(o *open) bool {
	return o.inTurn() && o.side.Turn.Step.IsZero()
}

// stepsOf returns a branch's steps, oldest first, from the last step that carried work forward.
func (s *ManualCommitStrategy) stepsOf(ctx context.Context, ref string) ([]step, error) {
	return s.stepsDownTo(ctx, ref, func(st step) bool { return st.info.Kind == checkpoint.StepCarryForward })
}

// stepsDownTo returns a branch's steps, oldest first, from the newest step for which first returns
// true. It reads many at a time.
func (s *ManualCommitStrategy) stepsDownTo(ctx context.Context, ref string, first func(step) bool) ([]step, error) {
	tip, ok, err := s.repo.Reader(ctx).CommitOf(ref)
	if err != nil || !ok {
		return nil, err
	}
	steps := []step{{tip, checkpoint.ParseStep(tip.Message)}}
	for n := 8; ; n = min(2*n, 128) {
		last := steps[len(steps)-1]
		if len(last.Parents) == 0 || first(last) {
			break
		}
		if len(steps) > pastMax {
			return nil, fmt.Errorf("%s has more than %d steps", ref, pastMax)
		}
		var specs []string
		for i := range n {
			specs = append(specs, fmt.Sprintf("%s~%d", last.OID, i+1))
		}
		objs, err := s.repo.Reader(ctx).Objects(specs...)
		if err != nil {
			return nil, err
		}
		if steps, err = appendSteps(steps, objs, first); err != nil {
			return nil, err
		}
	}
	slices.Reverse(steps)
	return steps, nil
}

func appendSteps(steps []step, objs []git.Object, first func(step) bool) ([]step, error) {
	before := len(steps)
	for _, o := range objs {
		if o.Type != "commit" || first(steps[len(steps)-1]) {
			break
		}
		c, err := git.ParseCommit(o.OID, o.Data)
		if err != nil {
			return nil, err
		}
		steps = append(steps, step{c, checkpoint.ParseStep(c.Message)})
	}
	if len(steps) == before {
		return nil, fmt.Errorf("read step below %s: %w", steps[before-1].OID, git.ErrMissing)
	}
	return steps, nil
}

// findOrigin sets the commit on which the first step was made, and how the new commit relates to
// it.
func (s *ManualCommitStrategy) findOrigin(ctx context.Context, p *past, cm madeCommit, base git.OID) error {
	if len(p.steps) > 0 && !p.steps[0].info.Base.IsZero() {
		base = p.steps[0].info.Base
	}
	if base == cm.parent {
		return nil
	}
	c, ok, err := s.repo.Reader(ctx).CommitOf(base.String())
	if err != nil || !ok { // the origin is gone: it is treated as if it were the parent
		return err
	}
	p.origin, p.base = c, c.Tree
	p.amended = slices.Contains(c.Parents, cm.parent) || len(c.Parents) == 0 && cm.parent.IsZero()
	p.moved = !p.amended
	return nil
}

// cellsMax bounds how many file versions are looked up together.
const cellsMax = 400_000

// named finds a folder or a file in a tree whose entries are in git's order, in which a folder's
// name sorts as if it ended in a slash. It returns mode 0 if there is none.
func named(tree []git.TreeEntry, name string, folder bool) git.TreeEntry {
	key := func(e git.TreeEntry) string {
		if e.Mode == git.ModeTree {
			return e.Name + "/"
		}
		return e.Name
	}
	if folder {
		name += "/"
	}
	i, ok := slices.BinarySearchFunc(tree, name, func(e git.TreeEntry, name string) int { return strings.Compare(key(e), name) })
	if !ok {
		return git.TreeEntry{}
	}
	return tree[i]
}

// filesAt returns the blobs at paths in several trees, by tree and path.
func (s *ManualCommitStrategy) filesAt(ctx context.Context, trees []git.OID, paths []string) ([][]git.OID, error) {
	return s.filesKnown(ctx, trees, paths, map[git.OID][]git.TreeEntry{})
}

// filesKnown is filesAt with a cache of trees, to which it adds those that it reads.
func (s *ManualCommitStrategy) filesKnown(ctx context.Context, trees []git.OID, paths []string, known map[git.OID][]git.TreeEntry) ([][]git.OID, error) {
	if len(trees)*len(paths) > cellsMax {
		return nil, fmt.Errorf("%d files in %d trees are too many to look for", len(paths), len(trees))
	}
	states, err := s.statesAt(ctx, trees, paths, known)
	if err != nil {
		return nil, err
	}
	out := make([][]git.OID, len(trees))
	for i := range states {
		for _, f := range states[i] {
			out[i] = append(out[i], blobOf(f.mode, f.oid))
		}
	}
	return out, nil
}

// statesAt returns what several trees have at paths, with one round trip a level of folders. It
// adds the trees that it reads to known.
func (s *ManualCommitStrategy) statesAt(ctx context.Context, trees []git.OID, paths []string, known map[git.OID][]git.TreeEntry) ([][]fileState, error) {
	type cursor struct {
		tree git.OID
		rest string
		at   *fileState
	}
	out := make([][]fileState, len(trees))
	var level []cursor
	for i, tree := range trees {
		out[i] = make([]fileState, len(paths))
		for k, p := range paths {
			out[i][k].path = p
			level = append(level, cursor{tree, p, &out[i][k]})
		}
	}
	known[git.OID{}] = nil
	for len(level) > 0 {
		var ask []git.OID
		for _, c := range level {
			if _, ok := known[c.tree]; !ok {
				known[c.tree] = nil
				ask = append(ask, c.tree)
			}
		}
		got, err := s.repo.Reader(ctx).Trees(ask...)
		if err != nil {
			for _, oid := range ask {
				delete(known, oid)
			}
			return nil, err
		}
		for i, oid := range ask {
			known[oid] = got[i]
		}
		var next []cursor
		for _, c := range level {
			name, rest, deeper := strings.Cut(c.rest, "/")
			e := named(known[c.tree], name, deeper)
			if e.Mode == 0 && !deeper {
				e = named(known[c.tree], name, true)
			}
			switch {
			case deeper && e.Mode == git.ModeTree:
				next = append(next, cursor{e.OID, rest, c.at})
			case !deeper:
				c.at.mode, c.at.oid = e.Mode, e.OID
			}
		}
		level = next
	}
	return out, nil
}

func isBlob(mode uint32) bool { return mode != 0 && mode != git.ModeTree && mode != git.ModeGitlink }
