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

// undone is a linked commit that a reset has taken out of HEAD's history. Made
// again, its work belongs to the checkpoint it had.
type undone struct {
	checkpoints []id.CheckpointID
	changes     []git.Change
}

// redone are the checkpoints of undone commits whose content is among the
// changes again. chosen are the sessions with work of their own there: what they
// left counts only if the undone content stood there before their work.
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

// anyHad reports whether one of the commits made a file what a commit makes it.
func anyHad(lost []undone, c git.Change) bool {
	return slices.ContainsFunc(lost, func(u undone) bool {
		return slices.ContainsFunc(u.changes, func(was git.Change) bool { return was.Path == c.Path && was.New == c.New })
	})
}

// isIn reports whether the commit shows something of the undone one's content.
// before gives what stood at a path before sessions of now wrote the very
// content that is committed: some of it stood there, and is still there. What a
// `reset --hard` took away is not.
func (u undone) isIn(changes []git.Change, before func(git.Change) git.Change, ver versions) bool {
	for _, c := range changes {
		for _, was := range u.changes {
			if was.Path != c.Path {
				continue
			}
			now := before(c)
			again := now.Old == was.New && now.OldMode == was.NewMode // HEAD has it already
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

// beforeSessions replaces the committed version of a path by the one that stood
// there before the chosen sessions' first step, where the commit has what their
// last step left.
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
			if spells, _ := ev.own(w, c.Path); len(spells) > 0 && spells[0].from.mode != 0 {
				c.New, c.NewMode = spells[0].from.oid, spells[0].from.mode
			}
			return c
		}
		return c
	}, nil
}

// wrote reports whether a session's own steps made a path what it is. Where they do
// not tell of it at all, it did.
func (e *evidence) wrote(w work, f fileState) bool {
	spells, _ := e.own(w, f.path)
	return len(spells) == 0 || slices.ContainsFunc(spells, func(s spell) bool { return s.to.sameContent(f.mode, f.oid) })
}

// lost lists the linked commits that resets took out of HEAD's history, those
// that are in it again left out. Where no reset did, git is not asked.
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

// history is the set of HEAD's newest first-parent ancestors.
func (s *ManualCommitStrategy) history(ctx context.Context) (map[git.OID]bool, error) {
	objs, err := s.repo.Reader(ctx).Objects(ancestors("HEAD", keptMax+undoneMax)...)
	kept := map[git.OID]bool{}
	for _, o := range objs {
		kept[o.OID] = true
	}
	return kept, err
}

// ancestors names a commit and those below it.
func ancestors(commit string, n int) []string {
	var specs []string
	for i := range n {
		specs = append(specs, fmt.Sprintf("%s~%d", commit, i))
	}
	return specs
}
