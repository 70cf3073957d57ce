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

// PostCommit condenses the sessions whose work the new commit holds into the
// metadata branch, carries forward what it left out, and lets the other
// sessions' steps follow HEAD. Killed at any moment, it is completed by the next
// call of any kind.
func (s *ManualCommitStrategy) PostCommit(ctx context.Context) error {
	if s.Committing || s.inSequence() && !s.prepared() {
		return nil // its commits bring their messages along
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
	if sums, err = s.here(ctx); err != nil { // another commit may have been settled meanwhile
		return err
	}
	return s.linkHead(ctx, sums)
}

// linkHead settles the commit at HEAD.
func (s *ManualCommitStrategy) linkHead(ctx context.Context, sums []session.Summary) error {
	head, born, err := s.repo.Reader(ctx).CommitOf("HEAD")
	if err != nil || !born {
		return err
	}
	return s.linkCommit(ctx, head, sums)
}

// linkCommit settles a commit, and forgets what prepare-commit-msg had chosen
// when that is done.
func (s *ManualCommitStrategy) linkCommit(ctx context.Context, made git.Commit, sums []session.Summary) error {
	prep, waits := s.choiceFor(made)
	cm, err := s.newCommit(ctx, made, prep.Diff)
	if err != nil {
		return err
	}
	its := prep.Checkpoint
	prep, err = s.decided(ctx, &cm, sums, prep, waits)
	switch {
	case err != nil:
	case len(prep.Sessions) > 0:
		err = s.condense(ctx, cm, prep.Checkpoint, prep.Sessions, sums)
	case !s.inSequence(): // in one, HEAD is only passing through
		err = s.unlinked(ctx, cm, sums)
	}
	if err != nil {
		return err
	}
	return s.forgetChoice(its)
}

// decided is what prepare-commit-msg chose for this commit, if ok. Where it did not
// run, and the message names a checkpoint all the same, the choice is made now.
func (s *ManualCommitStrategy) decided(ctx context.Context, cm *madeCommit, sums []session.Summary, prep prepared, ok bool) (prepared, error) {
	cps := checkpoint.ParseCheckpointTrailers(cm.Message)
	if ok && prep.Auto != nil && len(cps) > 0 && childOf(cm.Commit, prep.Auto.Parent) {
		// Of auto-commit's making, be it by a git that outlived an earlier hook.
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
	if ok || len(cps) == 0 { // a person has removed the trailer
		return prepared{}, nil
	}
	cm.again = true
	chosen, err := s.choose(ctx, sums, cm.changes, passing, nil)
	return prepared{Checkpoint: cps[0], Sessions: chosen, Again: true}, err
}

// overwritten reports that nobody can have removed the trailer from a message that has
// none, as no message went to an editor: another git, which keeps the message in the
// same file, has overwritten it.
func (p prepared) overwritten() bool {
	return len(p.Others) > 0 && !slices.ContainsFunc(p.Others, func(o prepared) bool { return !o.Plain || o.Again || o.Auto != nil })
}

// chooseUnnamed links a commit whose message cannot name its checkpoint any more.
func (s *ManualCommitStrategy) chooseUnnamed(ctx context.Context, cm *madeCommit, sums []session.Summary) (prepared, error) {
	chosen, err := s.choose(ctx, sums, cm.changes, cm.strict(), nil)
	if err != nil || len(chosen) == 0 {
		return prepared{}, err
	}
	cp, err := id.Generate()
	cm.unnamed = true
	return prepared{Checkpoint: cp, Sessions: chosen}, err
}

// asMade is a choice as the commit turned out. Where several gits were committing at
// once, which share the index and the file with the message, what was staged when the
// choice was made is not what the commit holds.
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
	again   bool              // its checkpoint was not made for it
	unnamed bool              // its message does not name its checkpoint: no hook of ours saw it
	several bool              // more than one session has work pending
	sums    []session.Summary // of the sessions here, as it is settled
	auto    *autoCommit       // nil for a commit of the user's
}

func (s *ManualCommitStrategy) newCommit(ctx context.Context, head git.Commit, known *treeDiff) (madeCommit, error) {
	cm := madeCommit{Commit: head, branch: s.branchName()}
	var parentTree git.OID
	if len(head.Parents) > 0 {
		cm.parent = head.Parents[0]
		var err error
		if parentTree, err = s.headTree(ctx, cm.parent); err != nil && !errors.Is(err, git.ErrMissing) {
			return cm, err // the parent of a shallow clone's edge is missing
		}
	}
	changes, err := s.codeDiffOnce(ctx, parentTree, head.Tree, known)
	if err == nil && len(head.Parents) > 1 {
		changes = s.unlikeSides(ctx, changes, head.Parents[1:])
	}
	cm.changes = changes
	return cm, err
}

// strict is how much is to be seen in a commit about which nothing else is known.
func (cm madeCommit) strict() strictness {
	if len(cm.Parents) > 1 {
		return merging
	}
	return loose
}

// branchName is the short name HEAD has, "" when detached.
func (s *ManualCommitStrategy) branchName() string { return s.repo.Branch() }
