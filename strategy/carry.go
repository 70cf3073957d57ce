package strategy

import (
	"context"
	"slices"

	"entire/checkpoint"
	"entire/id"
	"entire/internal/git"
	"entire/session"
)

// settled is what the transaction of a condensation left.
type settled struct {
	ref    string  // shadow ref of the new base, "" when no steps remain
	tip    git.OID // its tip
	remain fileStates
}

// settleSteps decides what becomes of the shadow branch of the commit's parent:
// gone when all of it is committed, else carried onto the new base.
func (s *ManualCommitStrategy) settleSteps(ctx context.Context, cm madeCommit, open []*open, chosen []id.SessionID, author git.Signature) (settled, []git.RefUpdate, error) {
	base := s.stepBase(open, chosen)
	oldRef, newRef := s.shadowRef(base), s.shadowRef(cm.OID)
	tip, exists, err := s.repo.Reader(ctx).CommitOf(oldRef)
	if err != nil {
		return settled{}, nil, err
	}
	if !exists {
		done, err := s.settledBefore(ctx, cm, newRef)
		return done, nil, err
	}
	remain, err := s.remaining(ctx, cm, base, tip)
	if err != nil {
		return settled{}, nil, err
	}
	var others, active bool
	touched := map[string]bool{}
	for _, o := range open {
		others = others || !slices.Contains(chosen, o.id) && len(o.state.FilesTouched) > 0
		active = active || o.state.Phase == session.PhaseActive
		for _, p := range textPaths(o.state.FilesTouched) {
			touched[p] = true
		}
	}
	left := slices.ContainsFunc(remain, func(f fileState) bool { return touched[f.path] })
	updates := []git.RefUpdate{{Name: oldRef, Old: tip.OID}}
	if !left && !others && !(active && len(remain) > 0) {
		return settled{}, updates, nil
	}
	carry, err := s.carryStep(ctx, cm, tip, remain, open, others, left, author)
	if err != nil {
		return settled{}, nil, err
	}
	taken, exists, err := s.repo.Reader(ctx).CommitOf(newRef)
	if err != nil {
		return settled{}, nil, err
	}
	if newRef == oldRef {
		return settled{newRef, carry, remain}, []git.RefUpdate{{Name: oldRef, New: carry, Old: tip.OID}}, nil
	}
	if exists { // somebody works on the new base already: both stay
		return settled{newRef, taken.OID, remain}, append(updates, git.RefUpdate{Name: orphanRef(oldRef, carry), New: carry}), nil
	}
	return settled{newRef, carry, remain}, append(updates, git.RefUpdate{Name: newRef, New: carry}), nil
}

// settledBefore finds what an earlier, interrupted call for the same commit has
// carried forward already.
func (s *ManualCommitStrategy) settledBefore(ctx context.Context, cm madeCommit, ref string) (settled, error) {
	tip, exists, err := s.repo.Reader(ctx).CommitOf(ref)
	if err != nil || !exists {
		return settled{}, err
	}
	remain, err := s.treeFiles(ctx, cm.Tree, tip.Tree)
	return settled{ref, tip.OID, remain}, err
}

// stepBase is the commit that the chosen sessions' steps are named for.
func (s *ManualCommitStrategy) stepBase(open []*open, chosen []id.SessionID) git.OID {
	for _, o := range open {
		if slices.Contains(chosen, o.id) {
			return baseOf(o)
		}
	}
	return git.OID{}
}

// remaining is the part of the last step that the commit does not hold and the
// worktree still does.
func (s *ManualCommitStrategy) remaining(ctx context.Context, cm madeCommit, base git.OID, tip git.Commit) (fileStates, error) {
	step, err := s.stepFiles(ctx, base, tip.OID)
	if err != nil {
		return nil, err
	}
	differ, err := s.repo.DiffTrees(ctx, cm.Tree, tip.Tree)
	if err != nil {
		return nil, err
	}
	var open []git.Change
	for _, c := range codeChanges(differ) {
		if _, ok := step.find(c.Path); ok {
			open = append(open, c)
		}
	}
	same, err := s.asCommitted(ctx, open)
	if err != nil {
		return nil, err
	}
	committed := make(map[string]git.Change, len(open))
	for _, c := range open {
		committed[c.Path] = c
	}
	return carried(open,
		func(p string) (uint32, git.OID) { return committed[p].OldMode, committed[p].Old },
		func(p string) bool { return same[p] }), nil
}

// asCommitted finds the paths whose file in the worktree equals the commit's
// side (Old) of the change: nothing of them remains to be committed.
func (s *ManualCommitStrategy) asCommitted(ctx context.Context, changes []git.Change) (map[string]bool, error) {
	var entries []git.StatusEntry
	for _, c := range changes {
		entries = append(entries, git.StatusEntry{Path: c.Path, HeadMode: c.OldMode, HeadOID: c.Old})
	}
	snap, err := s.takeSnapshot(ctx, &git.Status{Entries: entries})
	if err != nil {
		return nil, err
	}
	same := map[string]bool{}
	for _, c := range changes {
		if _, differs := snap.files.find(c.Path); !differs {
			same[c.Path] = true
		}
	}
	return same, nil
}

// carryStep is the first step on the new base: the commit's tree and what
// remains on top of it. Other sessions' steps stay below it.
func (s *ManualCommitStrategy) carryStep(ctx context.Context, cm madeCommit, tip git.Commit, remain fileStates, open []*open, others, left bool, author git.Signature) (git.OID, error) {
	edits := remain.edits()
	var parents []git.OID
	if others {
		edits, parents = append(edits, keepOverlay(ctx, s, tip)...), []git.OID{tip.OID}
	}
	tree, err := s.repo.EditTree(ctx, cm.Tree, edits)
	if err != nil {
		return git.OID{}, err
	}
	step := checkpoint.Step{Kind: checkpoint.StepMixed, Subject: "changes before the turn", Base: cm.OID}
	if left || others {
		step.Kind, step.Subject = checkpoint.StepCarryForward, checkpoint.CarryForwardSubject
	}
	for _, o := range open {
		if step.Session.IsZero() {
			step.Session = o.id
		} else if step.Kind == checkpoint.StepCarryForward {
			step.Others = append(step.Others, o.id)
		}
	}
	author.When = s.Now()
	return s.repo.Writer().Commit(git.Commit{Tree: tree, Parents: parents, Author: author, Committer: author, Message: checkpoint.StepMessage(step)})
}
