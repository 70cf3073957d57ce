package condense

import (
	"context"
	"slices"

	"entire/checkpoint/shadow"
	"entire/internal/git"
	"entire/strategy/evidence"
	"entire/strategy/githead"
	"entire/strategy/sessionstate"
	"entire/strategy/step"
	"entire/strategy/worktree"
)

// keepDiscarded finds work of agents that was discarded in the worktree (`git checkout FILE`,
// `git reset --hard`) and that no commit holds when a commit removes its branches. It adds the
// work to the rewind log and returns the refs that must be created together with the removal of
// those branches.
func keepDiscarded(ctx context.Context, s *sessionstate.Env, cm githead.MadeCommit, r remainder) ([]git.RefUpdate, error) {
	var pins []git.RefUpdate
	for _, u := range r.updates {
		if !u.New.IsZero() || u.Old.IsZero() {
			continue
		}
		discarded, last, err := discardedFiles(ctx, s, cm, r, u.Old)
		if err != nil {
			return nil, err
		}
		if len(discarded) == 0 {
			continue
		}
		pin, err := pinDiscarded(ctx, s, cm, u.Old, discarded, last)
		if err != nil {
			return nil, err
		}
		if !pin.New.IsZero() {
			pins = append(pins, pin)
		}
	}
	return pins, nil
}

// pinDiscarded adds discarded work on top of its branch, as a step, and to the rewind log.
func pinDiscarded(ctx context.Context, s *sessionstate.Env, cm githead.MadeCommit, tip git.OID, discarded sessionstate.PathVersions, last step.Step) (pin git.RefUpdate, err error) {
	top, err := s.Repo.Reader(ctx).Commit(tip)
	if err != nil {
		return pin, err
	}
	tree, err := s.Repo.EditTree(ctx, top.Tree, worktree.Edits(discarded))
	if err != nil {
		return pin, err
	}
	sig := s.Repo.Identity(ctx)
	sig.When = s.Now()
	st := shadow.Step{Kind: shadow.StepHuman, Subject: "thrown away before " + cm.OID.Short(), Session: last.Info.Session, Base: shadow.ParseStep(top.Message).Base}
	c, err := s.Repo.Writer().Commit(git.Commit{Tree: tree, Parents: []git.OID{tip}, Author: sig, Committer: sig, Message: shadow.StepMessage(st)})
	if err != nil {
		return pin, err
	}
	e := RewindEntry{ID: tip.String()[:12], At: s.Now(), Kind: RewindDropped, Session: last.Info.Session.String(), Before: c.String(), After: cm.OID.String(), Files: len(discarded),
		Scope: Scope{Kind: ScopeTree, SkipConversation: true}}
	for _, f := range discarded {
		e.Scope.Paths = append(e.Scope.Paths, sessionstate.EncodePath(f.Path))
	}
	return logDiscarded(ctx, s, e)
}

// discardedFiles returns the last versions that a branch's agents wrote and that neither the commit
// nor its remainder has, for files that the commit did not change.
func discardedFiles(ctx context.Context, s *sessionstate.Env, cm githead.MadeCommit, r remainder, tip git.OID) (discarded sessionstate.PathVersions, last step.Step, err error) {
	steps, err := step.BranchStepsFrom(ctx, s, tip.String(), func(step.Step) bool { return false })
	if err != nil {
		return nil, last, err
	}
	made := map[string]sessionstate.FileVersion{}
	for _, st := range steps {
		agents := step.IsListed(st) || st.Info.Kind == shadow.StepCarryForward
		if !agents && st.Info.Kind != shadow.StepRewind {
			continue
		}
		changes, err := evidence.StepChanges(ctx, s, st)
		if err != nil {
			return nil, last, err
		}
		for _, c := range changes {
			if made[c.Path] = (sessionstate.FileVersion{Mode: c.NewMode, OID: c.New}); !agents || c.NewMode == 0 {
				delete(made, c.Path) // the rewind's own entry keeps what it replaced
			}
		}
		if agents {
			last = st
		}
	}
	for _, c := range cm.Changes {
		delete(made, c.Path)
	}
	for _, f := range r.files {
		delete(made, f.Path)
	}
	var files []string
	for p := range made {
		files = append(files, p)
	}
	slices.Sort(files)
	at, err := step.VersionsAt(ctx, s, []git.OID{cm.Tree}, files, map[git.OID][]git.TreeEntry{})
	if err != nil {
		return nil, last, err
	}
	for _, f := range at[0] {
		if was := made[f.Path]; was != (sessionstate.FileVersion{Mode: f.Mode, OID: f.OID}) {
			discarded = append(discarded, sessionstate.PathVersion{Path: f.Path, Mode: was.Mode, OID: was.OID})
		}
	}
	return discarded, last, nil
}

// logDiscarded adds an entry for discarded work to the log. It returns the ref that must be
// created to keep the work, none if it exists.
func logDiscarded(ctx context.Context, s *sessionstate.Env, e RewindEntry) (pin git.RefUpdate, err error) {
	lock, err := LockRewindLog(ctx, s)
	if err != nil {
		return pin, err
	}
	defer lock.Release()
	log, unreadable := ReadRewindLog(s)
	if unreadable != nil { // doctor reports it; the work is kept anyway
		s.Log.Error("work thrown away is kept, but not listed", "err", unreadable)
	}
	if i := slices.IndexFunc(log, func(had RewindEntry) bool { return had.ID == e.ID }); i >= 0 {
		e.Seq = log[i].Seq // the entry of a process that was killed
		kept, there, err := s.Repo.Reader(ctx).CommitOf(UndoRef(s, e.Seq))
		if err != nil || there && kept.OID.String() == log[i].Before {
			return pin, err
		}
		if made, ok, err := s.Repo.Reader(ctx).CommitOf(log[i].Before); err != nil || ok {
			return git.RefUpdate{Name: UndoRef(s, e.Seq), New: made.OID}, err
		}
		return pin, nil
	}
	if e.Seq, err = nextSeq(ctx, s, log); err != nil {
		return pin, err
	}
	oid, err := git.ParseOID(e.Before)
	if err != nil {
		return pin, err
	}
	if unreadable == nil {
		err = appendRewindEntry(s, e)
	}
	return git.RefUpdate{Name: UndoRef(s, e.Seq), New: oid}, err
}
