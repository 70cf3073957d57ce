package strategy

import (
	"context"
	"slices"

	"entire/checkpoint"
	"entire/internal/git"
)

// keepThrownAway finds work of agents that a commit lets go of though nobody has
// committed it: thrown away in the worktree since (`git checkout FILE`, `git reset
// --hard`). The branches that hold it are kept as the log's entries; it returns
// the refs to be made along with the removal of those branches.
func (s *ManualCommitStrategy) keepThrownAway(ctx context.Context, cm madeCommit, r rest) ([]git.RefUpdate, error) {
	var pins []git.RefUpdate
	for _, u := range r.updates {
		if !u.New.IsZero() || u.Old.IsZero() {
			continue
		}
		lost, last, err := s.thrownAway(ctx, cm, r, u.Old)
		if err != nil {
			return nil, err
		}
		if len(lost) == 0 {
			continue
		}
		pin, err := s.keepLost(ctx, cm, u.Old, lost, last)
		if err != nil {
			return nil, err
		}
		if !pin.New.IsZero() {
			pins = append(pins, pin)
		}
	}
	return pins, nil
}

// keepLost puts lost work on top of the branch that had it, and into the log.
func (s *ManualCommitStrategy) keepLost(ctx context.Context, cm madeCommit, tip git.OID, lost fileStates, last step) (pin git.RefUpdate, err error) {
	top, err := s.repo.Reader(ctx).Commit(tip)
	if err != nil {
		return pin, err
	}
	tree, err := s.repo.EditTree(ctx, top.Tree, lost.edits())
	if err != nil {
		return pin, err
	}
	sig := s.repo.Identity(ctx)
	sig.When = s.Now()
	st := checkpoint.Step{Kind: checkpoint.StepHuman, Subject: "thrown away before " + cm.OID.Short(), Session: last.info.Session, Base: checkpoint.ParseStep(top.Message).Base}
	c, err := s.repo.Writer().Commit(git.Commit{Tree: tree, Parents: []git.OID{tip}, Author: sig, Committer: sig, Message: checkpoint.StepMessage(st)})
	if err != nil {
		return pin, err
	}
	e := RewindEntry{ID: tip.String()[:12], At: s.Now(), Kind: RewindDropped, Session: last.info.Session.String(), Before: c.String(), After: cm.OID.String(), Files: len(lost),
		Scope: Scope{Kind: ScopeTree, SkipTalk: true}}
	for _, f := range lost {
		e.Scope.Paths = append(e.Scope.Paths, pathText(f.path))
	}
	return s.logDropped(ctx, e)
}

// thrownAway are the files of which a branch's agents made a version that neither
// the commit nor what it left has, while the commit has not touched them.
func (s *ManualCommitStrategy) thrownAway(ctx context.Context, cm madeCommit, r rest, tip git.OID) (lost fileStates, last step, err error) {
	steps, err := s.stepsDownTo(ctx, tip.String(), func(step) bool { return false })
	if err != nil {
		return nil, last, err
	}
	made := map[string]stood{}
	for _, st := range steps {
		agents := listed(st) || st.info.Kind == checkpoint.StepCarryForward
		if !agents && st.info.Kind != checkpoint.StepRewind {
			continue
		}
		changes, err := s.stepChanges(ctx, st)
		if err != nil {
			return nil, last, err
		}
		for _, c := range changes {
			if made[c.Path] = (stood{c.NewMode, c.New}); !agents || c.NewMode == 0 {
				delete(made, c.Path) // what a rewind replaced is kept by its own entry
			}
		}
		if agents {
			last = st
		}
	}
	for _, c := range cm.changes {
		delete(made, c.Path)
	}
	for _, f := range r.files {
		delete(made, f.path)
	}
	var files []string
	for p := range made {
		files = append(files, p)
	}
	slices.Sort(files)
	at, err := s.statesAt(ctx, []git.OID{cm.Tree}, files, map[git.OID][]git.TreeEntry{})
	if err != nil {
		return nil, last, err
	}
	for _, f := range at[0] {
		if was := made[f.path]; was != (stood{f.mode, f.oid}) {
			lost = append(lost, fileState{f.path, was.Mode, was.OID})
		}
	}
	return lost, last, nil
}

// logDropped adds an entry for work that was thrown away and returns the ref that
// is to keep it, none if it is kept already.
func (s *ManualCommitStrategy) logDropped(ctx context.Context, e RewindEntry) (pin git.RefUpdate, err error) {
	lock, err := s.rewindLock(ctx)
	if err != nil {
		return pin, err
	}
	defer lock.Release()
	log, unreadable := s.readRewindLog()
	if unreadable != nil { // doctor tells; the work is kept all the same
		s.Log.Error("work thrown away is kept, but not listed", "err", unreadable)
	}
	if i := slices.IndexFunc(log, func(had RewindEntry) bool { return had.ID == e.ID }); i >= 0 {
		e.Seq = log[i].Seq // by a call that was killed
		kept, there, err := s.repo.Reader(ctx).CommitOf(s.undoRef(e.Seq))
		if err != nil || there && kept.OID.String() == log[i].Before {
			return pin, err
		}
		if made, ok, err := s.repo.Reader(ctx).CommitOf(log[i].Before); err != nil || ok {
			return git.RefUpdate{Name: s.undoRef(e.Seq), New: made.OID}, err
		}
		return pin, nil
	}
	if e.Seq, err = s.nextSeq(ctx, log); err != nil {
		return pin, err
	}
	oid, err := git.ParseOID(e.Before)
	if err != nil {
		return pin, err
	}
	if unreadable == nil {
		err = s.logRewind(e)
	}
	return git.RefUpdate{Name: s.undoRef(e.Seq), New: oid}, err
}
