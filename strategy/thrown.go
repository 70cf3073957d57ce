package strategy

import (
	"context"
	"slices"

	"entire/checkpoint"
	"entire/internal/git"
)

// keepThrownAway finds work of agents that was discarded in the worktree (`git checkout FILE`,
// `git reset --hard`) and that no commit holds when a commit removes its branches. It adds the
// work to the rewind log and returns the refs that must be created together with the removal of
// those branches.
func (s *ManualCommitStrategy) keepThrownAway(ctx context.Context, cm madeCommit, r rest) ([]git.RefUpdate, error) {
	var pins []git.RefUpdate
	for _, u := range r.updates {
		if !u.New.IsZero() || u.Old.IsZero() {
			continue
		}
		discarded, last, err := s.thrownAway(ctx, cm, r, u.Old)
		if err != nil {
			return nil, err
		}
		if len(discarded) == 0 {
			continue
		}
		pin, err := s.keepLost(ctx, cm, u.Old, discarded, last)
		if err != nil {
			return nil, err
		}
		if !pin.New.IsZero() {
			pins = append(pins, pin)
		}
	}
	return pins, nil
}

// keepLost adds discarded work on top of its branch, as a step, and to the rewind log.
func (s *ManualCommitStrategy) keepLost(ctx context.Context, cm madeCommit, tip git.OID, discarded fileStates, last step) (pin git.RefUpdate, err error) {
	top, err := s.repo.Reader(ctx).Commit(tip)
	if err != nil {
		return pin, err
	}
	tree, err := s.repo.EditTree(ctx, top.Tree, discarded.edits())
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
	e := RewindEntry{ID: tip.String()[:12], At: s.Now(), Kind: RewindDropped, Session: last.info.Session.String(), Before: c.String(), After: cm.OID.String(), Files: len(discarded),
		Scope: Scope{Kind: ScopeTree, SkipTalk: true}}
	for _, f := range discarded {
		e.Scope.Paths = append(e.Scope.Paths, pathText(f.path))
	}
	return s.logDropped(ctx, e)
}

// thrownAway returns the last versions that a branch's agents wrote and that neither the commit
// nor its remainder has, for files that the commit did not change.
func (s *ManualCommitStrategy) thrownAway(ctx context.Context, cm madeCommit, r rest, tip git.OID) (discarded fileStates, last step, err error) {
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
				delete(made, c.Path) // the rewind's own entry keeps what it replaced
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
			discarded = append(discarded, fileState{f.path, was.Mode, was.OID})
		}
	}
	return discarded, last, nil
}

// logDropped adds an entry for discarded work to the log. It returns the ref that must be
// created to keep the work, none if it exists.
func (s *ManualCommitStrategy) logDropped(ctx context.Context, e RewindEntry) (pin git.RefUpdate, err error) {
	lock, err := s.rewindLock(ctx)
	if err != nil {
		return pin, err
	}
	defer lock.Release()
	log, unreadable := s.readRewindLog()
	if unreadable != nil { // doctor reports it; the work is kept anyway
		s.Log.Error("work thrown away is kept, but not listed", "err", unreadable)
	}
	if i := slices.IndexFunc(log, func(had RewindEntry) bool { return had.ID == e.ID }); i >= 0 {
		e.Seq = log[i].Seq // the entry of a process that was killed
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
