package strategy

import (
	"context"
	"fmt"
	"slices"

	"entire/checkpoint"
	"entire/id"
	"entire/internal/git"
)

// keptMax bounds the search for a commit in HEAD's history.
const keptMax = 100

// undone is a linked commit that a reset has removed from HEAD's history. If its content is
// committed again, the new commit gets its checkpoints.
type undone struct {
	checkpoints []id.CheckpointID
	changes     []git.Change
}

// redone returns the checkpoints of undone commits whose content is among the changes. chosen
// are the sessions whose work is in these changes; their versions count only if the undone
// content was in the file before their work.
func (s *ManualCommitStrategy) redone(ctx context.Context, lost []undone, changes []git.Change, chosen []id.SessionID) ([]id.CheckpointID, error) {
	if len(lost) == 0 || len(changes) == 0 {
		return nil, nil
	}
	ev := s.evidence(ctx)
	before, err := s.beforeSessions(ctx, ev, chosen)
	if err != nil {
		return nil, err
	}
	var out []id.CheckpointID
	for _, u := range lost {
		if u.isIn(changes, before, ev) {
			out = append(out, u.checkpoints...)
		}
	}
	return out, nil
}

// anyHad reports whether one of the undone commits gave the changed file the same content.
func anyHad(lost []undone, c git.Change) bool {
	return slices.ContainsFunc(lost, func(u undone) bool {
		return slices.ContainsFunc(u.changes, func(was git.Change) bool { return was.Path == c.Path && was.New == c.New })
	})
}

// isIn reports whether the changes contain any of the undone commit's content. before replaces
// the version that a session wrote by the one before its work: the undone content must be in
// both, so what a `reset --hard` removed does not count.
func (u undone) isIn(changes []git.Change, before func(git.Change) git.Change, ver versions) bool {
	for _, c := range changes {
		for _, was := range u.changes {
			if was.Path != c.Path {
				continue
			}
			now := before(c)
			again := now.Old == was.New && now.OldMode == was.NewMode // HEAD already has it
			made := now.New != now.Old || now.NewMode != now.OldMode
			if made && !again && spellOf(was).isIn(now, ver) && (now == c || spellOf(was).isIn(c, ver)) {
				return true
			}
		}
	}
	return false
}

func spellOf(c git.Change) spell {
	return spell{fileState{c.Path, c.OldMode, c.Old}, fileState{c.Path, c.NewMode, c.New}}
}

// beforeSessions returns a function that replaces the committed version of a path by the one
// before the chosen sessions' first step, if the commit has the version of their last step.
func (s *ManualCommitStrategy) beforeSessions(ctx context.Context, ev *evidence, chosen []id.SessionID) (func(git.Change) git.Change, error) {
	var works []work
	for _, sid := range chosen {
		w, err := s.workOf(ctx, sid)
		if err != nil {
			return nil, err
		}
		works = append(works, w)
	}
	return func(c git.Change) git.Change {
		for _, w := range works {
			left, ok := w.left[c.Path]
			if !ok || !left.sameContent(c.NewMode, c.New) || !ev.wrote(w, left) {
				continue
			}
			c.New, c.NewMode = c.Old, c.OldMode
			if changes, _ := ev.own(w, c.Path); len(changes) > 0 && changes[0].from.mode != 0 {
				c.New, c.NewMode = changes[0].from.oid, changes[0].from.mode
			}
			return c
		}
		return c
	}, nil
}

// wrote reports whether a session's own steps gave a path this version. It is true if no step
// changed the path.
func (e *evidence) wrote(w work, f fileState) bool {
	changes, _ := e.own(w, f.path)
	return len(changes) == 0 || slices.ContainsFunc(changes, func(s spell) bool { return s.to.sameContent(f.mode, f.oid) })
}

// lost lists the linked commits that resets removed from HEAD's history and that are not in it
// again. Without a reset it does not call git.
func (s *ManualCommitStrategy) lost(ctx context.Context) ([]undone, error) {
	linked, err := s.linkedBefore(ctx, s.resets())
	if err != nil || len(linked) == 0 {
		return nil, err
	}
	kept, err := s.history(ctx)
	if err != nil {
		return nil, err
	}
	links, err := checkpoint.NewRecords(s.repo).Links(ctx)
	if err != nil {
		return nil, err
	}
	var out []undone
	for _, oid := range linked {
		if kept[oid] {
			continue
		}
		c, ok, err := s.repo.Reader(ctx).CommitOf(oid.String())
		if err != nil {
			return nil, err
		}
		if !ok {
			continue // pruned
		}
		cm, err := s.newCommit(ctx, c, nil)
		if err != nil {
			return nil, err
		}
		out = append(out, undone{links.Of(c.OID, c.Message), cm.changes})
	}
	return out, nil
}

// history returns the set of HEAD's newest first-parent ancestors.
func (s *ManualCommitStrategy) history(ctx context.Context) (map[git.OID]bool, error) {
	objs, err := s.repo.Reader(ctx).Objects(ancestors("HEAD", keptMax+undoneMax)...)
	kept := map[git.OID]bool{}
	for _, o := range objs {
		kept[o.OID] = true
	}
	return kept, err
}

// ancestors returns the names of a commit and its n-1 next first-parent ancestors.
func ancestors(commit string, n int) []string {
	var specs []string
	for i := range n {
		specs = append(specs, fmt.Sprintf("%s~%d", commit, i))
	}
	return specs
}
