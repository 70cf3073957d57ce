package link

import (
	"context"
	"slices"

	"entire/checkpoint/trailer"
	"entire/id"
	"entire/internal/git"
	"entire/session"
	"entire/strategy/condense"
	"entire/strategy/evidence"
	"entire/strategy/githead"
	"entire/strategy/sessionstate"
	"entire/strategy/step"
	"entire/strategy/worktree"
)

// PostCommit links the commit that git has just made, or lets the steps follow HEAD if it is not linked.
// With no choice and no pending work it takes no lock.
func PostCommit(ctx context.Context, s *sessionstate.Env) error {
	sums, err := step.WorktreeSessions(ctx, s)
	if err != nil {
		return err
	}
	condense.CompleteLate(ctx, s, sums)
	if !githead.HasChoice(s) && !evidence.AnyPendingWork(sums) && worktree.LoadCache(ctx, s).Tip.IsZero() {
		return nil
	}
	if !githead.HasChoice(s) && (s.NoGitAbove != nil && s.NoGitAbove() || evidence.OtherProgramCommitted(ctx, s)) { // it may not run prepare-commit-msg
		CatchUp(ctx, s, id.SessionID{})
	}
	lock, err := githead.CommitLock(ctx, s)
	if err != nil {
		return err
	}
	defer lock.Release()
	if settled, err := finishMade(ctx, s); err != nil || settled {
		return err
	}
	if sums, err = step.WorktreeSessions(ctx, s); err != nil { // another call may have linked a commit meanwhile
		return err
	}
	return linkHead(ctx, s, sums)
}

// linkHead links and condenses the commit at HEAD.
func linkHead(ctx context.Context, s *sessionstate.Env, sums []session.Summary) error {
	head, born, err := s.Repo.Reader(ctx).CommitOf("HEAD")
	if err != nil || !born {
		return err
	}
	return linkCommit(ctx, s, head, sums)
}

// linkCommit links and condenses a commit, then drops the choice that prepare-commit-msg stored for
// it.
func linkCommit(ctx context.Context, s *sessionstate.Env, made git.Commit, sums []session.Summary) error {
	prep, waits := ChoiceFor(ctx, s, made)
	cm, err := evidence.NewCommit(ctx, s, made, prep.Diff)
	if err != nil {
		return err
	}
	choiceID := prep.Checkpoint
	prep, err = decideLink(ctx, s, &cm, sums, prep, waits)
	switch {
	case err != nil:
	case len(prep.Sessions) > 0 && areElsewhere(prep.Sessions, sums):
		err = condense.Elsewhere(ctx, s, cm, prep.Checkpoint, prep.Sessions, sums)
		if err == nil {
			err = condense.FollowUnlinked(ctx, s, cm, sums)
		}
	case len(prep.Sessions) > 0:
		err = condense.Condense(ctx, s, cm, prep.Checkpoint, prep.Sessions, sums)
	case !githead.InSequence(ctx, s): // during a sequence, HEAD's commit is only temporary
		err = condense.FollowUnlinked(ctx, s, cm, sums)
	}
	if err != nil {
		return err
	}
	return githead.ForgetChoice(s, choiceID)
}

// areElsewhere reports whether none of the chosen sessions is one of this worktree.
func areElsewhere(chosen []id.SessionID, sums []session.Summary) bool {
	return !slices.ContainsFunc(sums, func(sum session.Summary) bool { return slices.Contains(chosen, sum.ID) })
}

// decideLink returns which checkpoint and sessions the commit links. ok states that prepare-commit-msg
// stored a choice. If it did not run but the message names a checkpoint, decided makes the choice
// now.
func decideLink(ctx context.Context, s *sessionstate.Env, cm *githead.MadeCommit, sums []session.Summary, prep githead.LinkChoice, ok bool) (githead.LinkChoice, error) {
	cps := trailer.ParseCheckpointTrailers(cm.Message)
	if ok && prep.Auto != nil && len(cps) > 0 && githead.IsChildOf(cm.Commit, prep.Auto.Parent) {
		// Auto-commit made this commit, maybe by a git that outlived an earlier hook.
		cm.Auto, cm.ReusesCheckpoint = prep.Auto, !slices.Contains(cps, prep.Checkpoint)
		if cm.ReusesCheckpoint {
			prep.Checkpoint = cps[0]
		}
		return prep, nil
	}
	if ok && slices.Contains(cps, prep.Checkpoint) {
		cm.ReusesCheckpoint = prep.Reuses
		return choiceAsMade(ctx, s, cm, sums, prep)
	}
	if len(cps) == 0 && messageOverwritten(prep) {
		return chooseUnnamed(ctx, s, cm, sums)
	}
	if ok || len(cps) == 0 { // a person removed the trailer
		return githead.LinkChoice{}, nil
	}
	chosen, err := evidence.SessionsInCommit(ctx, s, sums, cm.Changes, githead.MatchReplay, nil)
	if err == nil && len(chosen) > 0 && !putDescribingFirst(ctx, s, cps, cm.Commit) { // a copy of the checkpoint's commit
		return newUnnamed(s, cm, chosen)
	}
	cm.ReusesCheckpoint = true
	return githead.LinkChoice{Checkpoint: cps[0], Sessions: chosen, Reuses: true}, err
}

// newUnnamed links a commit to a new checkpoint that its message does not name.
func newUnnamed(s *sessionstate.Env, cm *githead.MadeCommit, chosen []id.SessionID) (githead.LinkChoice, error) {
	cp, err := s.NewCheckpointID()
	cm.Unnamed = true
	return githead.LinkChoice{Checkpoint: cp, Sessions: chosen}, err
}

// messageOverwritten reports whether another git overwrote a message that has no trailer: both keep it in
// the same file. No message went to an editor, so no person can have removed the trailer.
func messageOverwritten(p githead.LinkChoice) bool {
	return len(p.Others) > 0 && !slices.ContainsFunc(p.Others, func(o githead.LinkChoice) bool { return !o.NoEditor || o.Reuses || o.Auto != nil })
}

// chooseUnnamed links a commit whose message can no longer name its checkpoint.
func chooseUnnamed(ctx context.Context, s *sessionstate.Env, cm *githead.MadeCommit, sums []session.Summary) (githead.LinkChoice, error) {
	chosen, err := evidence.SessionsInCommit(ctx, s, sums, cm.Changes, condense.Strictness(*cm), nil)
	if err != nil || len(chosen) == 0 {
		return githead.LinkChoice{}, err
	}
	return newUnnamed(s, cm, chosen)
}

// choiceAsMade corrects a choice by what the commit holds. If several gits were committing at once, they
// shared the index and the message file, so the files staged at the time of the choice are not
// those of the commit.
func choiceAsMade(ctx context.Context, s *sessionstate.Env, cm *githead.MadeCommit, sums []session.Summary, prep githead.LinkChoice) (githead.LinkChoice, error) {
	if len(prep.Others) == 0 && !prep.Shared {
		return prep, nil
	}
	chosen, err := evidence.SessionsInCommit(ctx, s, sums, cm.Changes, condense.Strictness(*cm), nil)
	if len(chosen) > 0 {
		prep.Sessions = chosen
	}
	return prep, err
}
