package strategy

import (
	"context"
	"errors"
	"slices"

	"entire/checkpoint"
	"entire/id"
	"entire/internal/git"
	"entire/session"
)

// PostCommit condenses the sessions whose work the new commit holds into the metadata branch,
// carries forward the work that the commit left out, and moves the other sessions' steps to HEAD.
// If it is killed at any moment, the next call of any kind completes it.
func (s *ManualCommitStrategy) PostCommit(ctx context.Context) error {
	if s.Committing || s.inSequence() && !s.prepared() {
		return nil // the commits of a rebase or a cherry-pick keep their messages
	}
	return s.mending(ctx, func() error { return s.postCommit(ctx) })
}

func (s *ManualCommitStrategy) postCommit(ctx context.Context) error {
	sums, err := s.here(ctx)
	if err != nil {
		return err
	}
	s.completeLate(ctx, sums)
	if !s.prepared() && !anyPending(sums) && s.loadCache().tip.IsZero() {
		return nil
	}
	lock, err := s.commitLock(ctx)
	if err != nil {
		return err
	}
	defer lock.Release()
	if settled, err := s.settleMade(ctx); err != nil || settled {
		return err
	}
	if sums, err = s.here(ctx); err != nil { // another call may have linked a commit meanwhile
		return err
	}
	return s.linkHead(ctx, sums)
}

// linkHead links and condenses the commit at HEAD.
func (s *ManualCommitStrategy) linkHead(ctx context.Context, sums []session.Summary) error {
	head, born, err := s.repo.Reader(ctx).CommitOf("HEAD")
	if err != nil || !born {
		return err
	}
	return s.linkCommit(ctx, head, sums)
}

// linkCommit links and condenses a commit, then drops the choice that prepare-commit-msg stored for
// it.
func (s *ManualCommitStrategy) linkCommit(ctx context.Context, made git.Commit, sums []session.Summary) error {
	prep, waits := s.choiceFor(made)
	cm, err := s.newCommit(ctx, made, prep.Diff)
	if err != nil {
		return err
	}
	choiceID := prep.Checkpoint
	prep, err = s.decided(ctx, &cm, sums, prep, waits)
	switch {
	case err != nil:
	case len(prep.Sessions) > 0:
		err = s.condense(ctx, cm, prep.Checkpoint, prep.Sessions, sums)
	case !s.inSequence(): // during a sequence, HEAD's commit is only temporary
		err = s.unlinked(ctx, cm, sums)
	}
	if err != nil {
		return err
	}
	return s.forgetChoice(choiceID)
}

// decided returns which checkpoint and sessions the commit links. ok states that prepare-commit-msg
// stored a choice. If it did not run but the message names a checkpoint, decided makes the choice
// now.
func (s *ManualCommitStrategy) decided(ctx context.Context, cm *madeCommit, sums []session.Summary, prep prepared, ok bool) (prepared, error) {
	cps := checkpoint.ParseCheckpointTrailers(cm.Message)
	if ok && prep.Auto != nil && len(cps) > 0 && childOf(cm.Commit, prep.Auto.Parent) {
		// Auto-commit made this commit, maybe by a git that outlived an earlier hook.
		cm.auto, cm.again = prep.Auto, !slices.Contains(cps, prep.Checkpoint)
		if cm.again {
			prep.Checkpoint = cps[0]
		}
		return prep, nil
	}
	if ok && slices.Contains(cps, prep.Checkpoint) {
		cm.again = prep.Again
		return s.asMade(ctx, cm, sums, prep)
	}
	if len(cps) == 0 && prep.overwritten() {
		return s.chooseUnnamed(ctx, cm, sums)
	}
	if ok || len(cps) == 0 { // a person removed the trailer
		return prepared{}, nil
	}
	cm.again = true
	chosen, err := s.choose(ctx, sums, cm.changes, passing, nil)
	return prepared{Checkpoint: cps[0], Sessions: chosen, Again: true}, err
}

// overwritten reports whether another git overwrote a message that has no trailer: both keep it in
// the same file. No message went to an editor, so no person can have removed the trailer.
func (p prepared) overwritten() bool {
	return len(p.Others) > 0 && !slices.ContainsFunc(p.Others, func(o prepared) bool { return !o.Plain || o.Again || o.Auto != nil })
}

// chooseUnnamed links a commit whose message can no longer name its checkpoint.
func (s *ManualCommitStrategy) chooseUnnamed(ctx context.Context, cm *madeCommit, sums []session.Summary) (prepared, error) {
	chosen, err := s.choose(ctx, sums, cm.changes, cm.strict(), nil)
	if err != nil || len(chosen) == 0 {
		return prepared{}, err
	}
	cp, err := id.Generate()
	cm.unnamed = true
	return prepared{Checkpoint: cp, Sessions: chosen}, err
}

// asMade corrects a choice by what the commit holds. If several gits were committing at once, they
// shared the index and the message file, so the files staged at the time of the choice are not
// those of the commit.
func (s *ManualCommitStrategy) asMade(ctx context.Context, cm *madeCommit, sums []session.Summary, prep prepared) (prepared, error) {
	if len(prep.Others) == 0 && !prep.Shared {
		return prep, nil
	}
	chosen, err := s.choose(ctx, sums, cm.changes, cm.strict(), nil)
	if len(chosen) > 0 {
		prep.Sessions = chosen
	}
	return prep, err
}

// madeCommit is the commit that was just made.
type madeCommit struct {
	git.Commit
	parent  git.OID // zero for a root commit
	changes []git.Change
	branch  string
	again   bool              // the checkpoint was not made for this commit
	unnamed bool              // the message does not name the checkpoint, because no hook of ours saw the commit
	several bool              // more than one session has work pending
	sums    []session.Summary // the sessions of this worktree at this time
	auto    *autoCommit       // nil for a commit of the user
}

func (s *ManualCommitStrategy) newCommit(ctx context.Context, head git.Commit, known *treeDiff) (madeCommit, error) {
	cm := madeCommit{Commit: head, branch: s.branchName()}
	var parentTree git.OID
	if len(head.Parents) > 0 {
		cm.parent = head.Parents[0]
		var err error
		if parentTree, err = s.headTree(ctx, cm.parent); err != nil && !errors.Is(err, git.ErrMissing) {
			return cm, err // in a shallow clone the parent may be missing
		}
	}
	changes, err := s.codeDiffOnce(ctx, parentTree, head.Tree, known)
	if err == nil && len(head.Parents) > 1 {
		changes = s.unlikeSides(ctx, changes, head.Parents[1:])
	}
	cm.changes = changes
	return cm, err
}

// strict returns the strictness for a commit about which nothing else is known.
func (cm madeCommit) strict() strictness {
	if len(cm.Parents) > 1 {
		return merging
	}
	return loose
}

// branchName returns HEAD's short branch name, "" when detached.
func (s *ManualCommitStrategy) branchName() string { return s.repo.Branch() }
