package rewind

import (
	"context"
	"slices"

	"entire/agent/agents"
	"entire/agent/conversation"
	"entire/checkpoint/shadow"
	"entire/internal/git"
	"entire/session"
	"entire/strategy/condense"
	"entire/strategy/evidence"
	"entire/strategy/restore"
	"entire/strategy/sessionstate"
	"entire/strategy/step"
	"entire/strategy/transcript"
	"entire/strategy/worktree"
)

// recordRewind records the rewind as a step and makes the session's state and conversation follow.
func recordRewind(ctx context.Context, s *sessionstate.Env, j *restore.RewindJournal, out *restore.RewindOutcome) error {
	rd := s.Repo.Reader(ctx)
	point, err := rd.Commit(followedStep(j))
	if err != nil {
		return err
	}
	st := step.Step{Commit: point, Info: shadow.ParseStep(point.Message)}
	snap, err := snapshotAfter(ctx, s, j, out) // HEAD may have moved since a crash, and files may have been kept
	if err != nil {
		return err
	}
	worktree.ReloadCache(ctx, s)
	if j.Session.IsZero() {
		_, err := rewindStep(ctx, s, nil, j, snap, nil, out)
		return err
	}
	o, err := s.OpenSession(ctx, j.Session)
	if err != nil {
		return err
	}
	defer o.Close()
	var overlay []git.Edit
	mine, found, err := rd.Path(point.Tree, shadow.SessionDir(j.Session))
	if err != nil {
		return err
	}
	if found && !scope(j).SkipConversation {
		overlay = []git.Edit{{Path: shadow.SessionDir(j.Session), Mode: mine.Mode, OID: mine.OID}}
	}
	if !o.IsNew {
		if err := condense.FollowHead(ctx, s, o, snap); err != nil {
			return err
		}
	}
	w, err := rewindStep(ctx, s, o, j, snap, overlay, out)
	if err != nil {
		return err
	}
	if o.IsNew {
		return nil // the step is of a session that is not in this repository
	}
	if err := restoreState(ctx, s, o, j, st, snap, w.Commit); err != nil {
		return err
	}
	switch {
	case scope(j).SkipConversation:
	case j.Conversation != nil:
		out.Warnings = append(out.Warnings, condense.RestoreConversationTo(ctx, s, o, *j.Conversation)...)
	case isForeignStep(st.Info):
		out.Warnings = append(out.Warnings, cutToForeignStep(ctx, s, o, st)...)
	default:
		out.Warnings = append(out.Warnings, transcript.CutSubagents(s, o, st.Info.Subagents)...)
		out.Warnings = append(out.Warnings, transcript.CutTranscript(ctx, s, o, st.Info.Transcript)...)
	}
	out.ResumeCommand = agents.For(o.State.AgentType).ResumeCommand(o.ID)
	return s.SaveSession(ctx, o)
}

// rewindStep records the rewind on the branch, under the ref that keeps the step from before, and
// in the log.
func rewindStep(ctx context.Context, s *sessionstate.Env, o *sessionstate.LockedSession, j *restore.RewindJournal, snap *worktree.Snapshot, overlay []git.Edit, out *restore.RewindOutcome) (w step.WrittenStep, err error) {
	made, exists, err := findRewindStep(ctx, s, j, snap)
	if err != nil {
		return w, err
	}
	if exists {
		w = step.WrittenStep{Commit: made.OID, Tree: made.Tree, Parent: j.Safety}
	} else {
		st := shadow.Step{Kind: shadow.StepRewind, Subject: description(j), Session: j.Session, Target: recordedTarget(j),
			Undoes: j.Undoes, StepContext: shadow.StepContext{Why: reason(j)}}
		if j.Undoes.IsZero() && !recordedTarget(j).IsZero() {
			st.Scope = scopeText(scope(j))
		}
		if o != nil {
			st.StepContext = o.StepContext(reason(j))
		}
		w, err = step.WriteStep(ctx, s, step.NewStep{Step: st, Author: rewindAuthor(ctx, s, o), Snap: snap, Overlay: overlay, PinRef: undoRefOf(s, j)})
		if err != nil {
			return w, err
		}
	}
	return w, recordEntry(ctx, s, j, w, out)
}

// recordedTarget returns the point that the rewind's step names, zero for chosen hunks and for files from
// elsewhere: after them the file is not as it was at a point, so its history has one more change.
func recordedTarget(j *restore.RewindJournal) git.OID {
	if scope(j).Hunks || scope(j).Kind == condense.ScopeFiles {
		return git.OID{}
	}
	return j.Point
}

// findRewindStep finds the step that was made for this rewind before a crash, by the ref that keeps it.
func findRewindStep(ctx context.Context, s *sessionstate.Env, j *restore.RewindJournal, snap *worktree.Snapshot) (git.Commit, bool, error) {
	ref := undoRefOf(s, j)
	if ref == "" {
		ref = worktree.ShadowRef(s, snap.Head)
	}
	c, exists, err := s.Repo.Reader(ctx).CommitOf(ref)
	if err != nil || !exists {
		return c, false, err
	}
	if len(c.Parents) == 2 && c.Parents[1] == j.Safety { // a merge of both steps
		if c, err = s.Repo.Reader(ctx).Commit(c.Parents[0]); err != nil {
			return c, false, err
		}
	}
	info := shadow.ParseStep(c.Message)
	if info.Kind != shadow.StepRewind || info.Target != recordedTarget(j) {
		return c, false, nil
	}
	return c, j.Entry != nil || len(c.Parents) == 1 && c.Parents[0] == j.Safety, nil
}

// rewindAuthor returns the identity that a rewind is recorded with.
func rewindAuthor(ctx context.Context, s *sessionstate.Env, o *sessionstate.LockedSession) git.Signature {
	if o != nil {
		return s.AuthorOf(ctx, o)
	}
	sig := s.Repo.Identity(ctx)
	sig.When = s.Now()
	return sig
}

// restoreState sets the session's state to that of a step.
func restoreState(ctx context.Context, s *sessionstate.Env, o *sessionstate.LockedSession, j *restore.RewindJournal, st step.Step, snap *worktree.Snapshot, tip git.OID) error {
	if err := restoreFilesTouched(ctx, s, o, j, st, snap, tip); err != nil {
		return err
	}
	o.Engine.LastStep = tip
	if !scope(j).SkipConversation {
		if err := transcript.RestoreConversationAt(ctx, s, o, st); err != nil {
			s.Log.Warn("conversation not taken back", "session_id", o.ID.String(), "err", err)
		}
	}
	mark := o.Engine.CondensedMark
	if o.Engine.Capture.Conversation != nil {
		mark = o.Engine.Capture.Conversation.Mark()
	}
	o.Engine.TurnStart = sessionstate.TurnStart{Head: snap.Head, Step: tip, Digest: worktree.Digest(snap.Files), ConversationMark: mark, Seen: o.State.Phase == session.PhaseActive}
	return nil
}

// restoreFilesTouched sets the session's touched files and its number of steps to those of a step. Files
// outside the scope, and those left alone, keep their entries.
func restoreFilesTouched(ctx context.Context, s *sessionstate.Env, o *sessionstate.LockedSession, j *restore.RewindJournal, st step.Step, snap *worktree.Snapshot, tip git.OID) error {
	sc := scope(j)
	had := sessionstate.DecodePaths(o.State.FilesTouched)
	changed := map[string]bool{}
	for _, c := range j.Changes {
		changed[c.Text()] = true
	}
	moved := j.ReturnedWork != nil && st.Info.Base != snap.Head // a commit may have taken the work of these steps
	if sc.Kind != condense.ScopeTurn && !moved {
		undoing := !j.Undoes.IsZero() // work done after the reversed rewind stays
		keeps := func(p string) bool { return undoing || !covers(sc, p) || !isWholeTree(sc) && !changed[p] }
		had = slices.DeleteFunc(had, func(p string) bool { return !keeps(p) })
		touched, count, err := filesTouchedUpTo(ctx, s, o, st)
		if err != nil {
			return err
		}
		brought, err := filesFromOtherBranch(ctx, s, o, tip)
		if err != nil {
			return err
		}
		had = worktree.Union(touched, brought, had)
		if undoing {
			count = max(count, o.State.CheckpointCount)
		}
		if !sc.SkipCode && !s.Auto {
			o.State.CheckpointCount = count
		}
	}
	o.State.FilesTouched = changedPathTexts(ctx, s, o, snap, worktree.Union(had, sessionstate.DecodePaths(j.ReturnedWork[o.ID.String()])))
	return nil
}

// filesFromOtherBranch returns the session's touched files that none of its steps on the branch changed: their
// steps were made on another branch, which was set aside for this one.
func filesFromOtherBranch(ctx context.Context, s *sessionstate.Env, o *sessionstate.LockedSession, tip git.OID) ([]string, error) {
	c, err := s.Repo.Reader(ctx).Commit(tip)
	if err != nil || len(c.Parents) == 0 {
		return nil, err
	}
	if c, err = s.Repo.Reader(ctx).Commit(c.Parents[0]); err != nil {
		return nil, err
	}
	inSteps, _, err := filesTouchedUpTo(ctx, s, o, step.Step{Commit: c, Info: shadow.ParseStep(c.Message)})
	known := worktree.SetOf(inSteps)
	return slices.DeleteFunc(sessionstate.DecodePaths(o.State.FilesTouched), func(p string) bool { return known[p] }), err
}

// filesTouchedUpTo returns the files that the session's steps changed, up to st, and the files of steps
// that another session's turn recorded during the session's own turns. It skips what a rewind undid.
// count is the number of the session's steps.
func filesTouchedUpTo(ctx context.Context, s *sessionstate.Env, o *sessionstate.LockedSession, st step.Step) (files []string, count int, err error) {
	rd := s.Repo.Reader(ctx)
	undone := map[git.OID]bool{} // steps of rewinds that a later one reversed
	var found []string
	var since git.OID // where the turn of the last seen step began, zero if no other step lies between
	for range step.StepsScanned {
		next := git.OID{}
		if len(st.Parents) > 0 {
			next = st.Parents[0]
		}
		if st.Info.Kind == shadow.StepRewind {
			sc := shadow.ParseScope(st.Info.Scope)
			switch {
			case undone[st.OID]:
			case !st.Info.Undoes.IsZero():
				undone[st.Info.Undoes] = true
			case st.Info.Target.IsZero() || sc.Turn > 0:
			case slices.Contains(sc.Excluded, o.ID.String()):
			case sc.All || sc.Agents || sc.Session == o.ID:
				next = st.Info.Target
			}
		} else if found, since, err = addFoundFiles(ctx, s, found, since, st); err != nil {
			return nil, 0, err
		} else if evidence.IsBy(st, o.ID.String()) {
			since = st.Info.Since
			changed, err := stepPaths(ctx, s, st)
			if err != nil {
				return nil, 0, err
			}
			if len(st.Info.Sessions) > 1 { // carried forward for several sessions: ours are the files that the session's state lists
				known := worktree.SetOf(sessionstate.DecodePaths(o.State.FilesTouched))
				changed = slices.DeleteFunc(changed, func(p string) bool { return !known[p] })
			}
			files = append(files, changed...)
			if st.Info.Kind != shadow.StepTask {
				count++
			}
		}
		if next.IsZero() {
			break
		}
		c, err := rd.Commit(next)
		if err != nil {
			return nil, 0, err
		}
		st = step.Step{Commit: c, Info: shadow.ParseStep(c.Message)}
	}
	return worktree.Union(files, dropOthersFiles(ctx, s, o, found)), count, nil
}

// addFoundFiles adds the files of a step that another session's turn made during the turn that began
// at since. It returns since, zero from the turn's first step on.
func addFoundFiles(ctx context.Context, s *sessionstate.Env, found []string, since git.OID, st step.Step) ([]string, git.OID, error) {
	switch {
	case since == st.OID:
		return found, git.OID{}, nil
	case since.IsZero() || !slices.Contains([]shadow.StepKind{shadow.StepMixed, shadow.StepAgent, shadow.StepTask}, st.Info.Kind):
		return found, since, nil
	}
	changed, err := stepPaths(ctx, s, st)
	return append(found, changed...), since, err
}

// dropOthersFiles returns those of the files that the session's edit calls name, or that no other session
// claims.
func dropOthersFiles(ctx context.Context, s *sessionstate.Env, o *sessionstate.LockedSession, files []string) []string {
	sums, err := step.WorktreeSessions(ctx, s)
	if len(files) == 0 || err != nil {
		return files // without the other sessions' claims, all files stay
	}
	own := map[string]bool{}
	if t := o.Engine.Capture.Conversation; t != nil {
		own = worktree.SetOf(evidence.RepoPaths(s, t.EditsSince(conversation.Mark{})))
	}
	claimed, named := condense.OthersFiles(ctx, s, o.ID, sums, worktree.SetOf(files))
	return slices.DeleteFunc(files, func(p string) bool { return !own[p] && (claimed[p] || named[p]) })
}

// stepPaths returns the paths that a step changed.
func stepPaths(ctx context.Context, s *sessionstate.Env, st step.Step) ([]string, error) {
	changes, err := evidence.StepChanges(ctx, s, st)
	return step.Paths(changes), err
}
