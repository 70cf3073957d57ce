package strategy

import (
	"context"
	"slices"

	"entire/agent"
	"entire/checkpoint"
	"entire/internal/git"
	"entire/session"
)

// rewound records the rewind as a step and makes the session's state and conversation follow.
func (s *ManualCommitStrategy) rewound(ctx context.Context, j *journal, out *RewindOutcome) error {
	rd := s.repo.Reader(ctx)
	point, err := rd.Commit(j.stateOf())
	if err != nil {
		return err
	}
	st := step{point, checkpoint.ParseStep(point.Message)}
	snap, err := s.presentAfter(ctx, j, out) // HEAD may have moved since a crash, and files may have been kept
	if err != nil {
		return err
	}
	s.reloadCache()
	if j.Session.IsZero() {
		_, err := s.rewindStep(ctx, nil, j, snap, nil, out)
		return err
	}
	o, err := s.openSession(ctx, j.Session)
	if err != nil {
		return err
	}
	defer o.close()
	var overlay []git.Edit
	mine, found, err := rd.Path(point.Tree, checkpoint.SessionDir(j.Session))
	if err != nil {
		return err
	}
	if found && !j.scope().SkipTalk {
		overlay = []git.Edit{{Path: checkpoint.SessionDir(j.Session), Mode: mine.Mode, OID: mine.OID}}
	}
	if !o.isNew {
		if err := s.followHead(ctx, o, snap); err != nil {
			return err
		}
	}
	w, err := s.rewindStep(ctx, o, j, snap, overlay, out)
	if err != nil {
		return err
	}
	if o.isNew {
		return nil // the step is of a session that is not in this repository
	}
	if err := s.stateAt(ctx, o, j, st, snap, w.commit); err != nil {
		return err
	}
	switch {
	case j.scope().SkipTalk:
	case j.Talk != nil:
		out.Warnings = append(out.Warnings, s.talkTo(ctx, o, *j.Talk)...)
	case theirs(st.info):
		out.Warnings = append(out.Warnings, s.cutToTheirs(ctx, o, st)...)
	default:
		out.Warnings = append(out.Warnings, s.cutSubagents(o, st.info.Subagents)...)
		out.Warnings = append(out.Warnings, s.cutTranscript(ctx, o, st.info.Transcript)...)
	}
	out.ResumeCommand = agent.For(o.state.AgentType).ResumeCommand(o.id)
	return s.save(ctx, o)
}

// rewindStep records the rewind on the branch, under the ref that keeps the step from before, and
// in the log.
func (s *ManualCommitStrategy) rewindStep(ctx context.Context, o *open, j *journal, snap *snapshot, overlay []git.Edit, out *RewindOutcome) (w writtenStep, err error) {
	made, exists, err := s.madeBefore(ctx, j, snap)
	if err != nil {
		return w, err
	}
	if exists {
		w = writtenStep{commit: made.OID, tree: made.Tree, parent: j.Safety}
	} else {
		st := checkpoint.Step{Kind: checkpoint.StepRewind, Subject: j.what(), Session: j.Session, Base: snap.head, Target: j.Point,
			Undoes: j.Undoes, StepContext: checkpoint.StepContext{Why: j.why()}}
		if j.Undoes.IsZero() {
			st.Scope = scopeText(j.scope())
		}
		if o != nil {
			st.StepContext = o.moment(j.why())
		}
		w, err = s.writeStep(ctx, newStep{step: st, author: s.rewinder(ctx, o), base: snap.head, snap: snap, overlay: overlay, pin: s.pinOf(j)})
		if err != nil {
			return w, err
		}
	}
	return w, s.closeEntry(ctx, j, w, out)
}

// madeBefore finds the step that was made for this rewind before a crash, by the ref that keeps it.
func (s *ManualCommitStrategy) madeBefore(ctx context.Context, j *journal, snap *snapshot) (git.Commit, bool, error) {
	ref := s.pinOf(j)
	if ref == "" {
		ref = s.shadowRef(snap.head)
	}
	c, exists, err := s.repo.Reader(ctx).CommitOf(ref)
	if err != nil || !exists {
		return c, false, err
	}
	if len(c.Parents) == 2 && c.Parents[1] == j.Safety { // a merge of both steps
		if c, err = s.repo.Reader(ctx).Commit(c.Parents[0]); err != nil {
			return c, false, err
		}
	}
	info := checkpoint.ParseStep(c.Message)
	if info.Kind != checkpoint.StepRewind || info.Target != j.Point {
		return c, false, nil
	}
	return c, j.Entry != nil || len(c.Parents) == 1 && c.Parents[0] == j.Safety, nil
}

// rewinder returns the identity that a rewind is recorded with.
func (s *ManualCommitStrategy) rewinder(ctx context.Context, o *open) git.Signature {
	if o != nil {
		return s.author(ctx, o)
	}
	sig := s.repo.Identity(ctx)
	sig.When = s.Now()
	return sig
}

// stateAt sets the session's state to that of a step.
func (s *ManualCommitStrategy) stateAt(ctx context.Context, o *open, j *journal, st step, snap *snapshot, tip git.OID) error {
	if err := s.touchedAt(ctx, o, j, st, snap, tip); err != nil {
		return err
	}
	o.side.Tip = tip
	if j.scope().SkipTalk {
	} else if err := s.talkAt(ctx, o, st); err != nil {
		s.Log.Warn("conversation not taken back", "session_id", o.id.String(), "err", err)
	}
	talk := o.side.Condensed
	if o.side.Capture.Talk != nil {
		talk = o.side.Capture.Talk.Mark()
	}
	o.side.Turn = turnMark{Head: snap.head, Step: tip, Digest: snap.files.digest(), Talk: talk, Seen: o.state.Phase == session.PhaseActive}
	return nil
}

// touchedAt sets the session's touched files and its number of steps to those of a step. Files
// outside the scope, and those left alone, keep their entries.
func (s *ManualCommitStrategy) touchedAt(ctx context.Context, o *open, j *journal, st step, snap *snapshot, tip git.OID) error {
	sc := j.scope()
	had := textPaths(o.state.FilesTouched)
	changed := map[string]bool{}
	for _, c := range j.Changes {
		changed[c.path()] = true
	}
	moved := j.Back != nil && st.info.Base != snap.head // a commit may have taken the work of these steps
	if sc.Kind != ScopeTurn && !moved {
		undoing := !j.Undoes.IsZero() // work done after the reversed rewind stays
		keeps := func(p string) bool { return undoing || !sc.covers(p) || !sc.whole() && !changed[p] }
		had = slices.DeleteFunc(had, func(p string) bool { return !keeps(p) })
		touched, count, err := s.touchedUpTo(ctx, o, st)
		if err != nil {
			return err
		}
		brought, err := s.brought(ctx, o, tip)
		if err != nil {
			return err
		}
		had = union(touched, brought, had)
		if undoing {
			count = max(count, o.state.CheckpointCount)
		}
		if !sc.SkipCode && !s.auto {
			o.state.CheckpointCount = count
		}
	}
	o.state.FilesTouched = snap.standing(union(had, textPaths(j.Back[o.id.String()])))
	return nil
}

// brought returns the session's touched files that none of its steps on the branch changed: their
// steps were made on another branch, which was set aside for this one.
func (s *ManualCommitStrategy) brought(ctx context.Context, o *open, tip git.OID) ([]string, error) {
	c, err := s.repo.Reader(ctx).Commit(tip)
	if err != nil || len(c.Parents) == 0 {
		return nil, err
	}
	if c, err = s.repo.Reader(ctx).Commit(c.Parents[0]); err != nil {
		return nil, err
	}
	inSteps, _, err := s.touchedUpTo(ctx, o, step{c, checkpoint.ParseStep(c.Message)})
	known := setOf(inSteps)
	return slices.DeleteFunc(textPaths(o.state.FilesTouched), func(p string) bool { return known[p] }), err
}

// touchedUpTo returns the files that the session's steps changed, up to st, and the files of mixed
// steps that another turn's start recorded during the session's own turns. It skips what a rewind
// undid. count is the number of the session's steps.
func (s *ManualCommitStrategy) touchedUpTo(ctx context.Context, o *open, st step) (files []string, count int, err error) {
	rd := s.repo.Reader(ctx)
	undone := map[git.OID]bool{} // steps of rewinds that a later one reversed
	var found []string
	var since git.OID // where the turn of the last seen step began, zero if no other step lies between
	for n := 0; n < stepsScanned; n++ {
		next := git.OID{}
		if len(st.Parents) > 0 {
			next = st.Parents[0]
		}
		if st.info.Kind == checkpoint.StepRewind {
			sc := checkpoint.ParseScope(st.info.Scope)
			switch {
			case undone[st.OID]:
			case !st.info.Undoes.IsZero():
				undone[st.info.Undoes] = true
			case st.info.Target.IsZero() || sc.Turn > 0:
			case slices.Contains(sc.Apart, o.id.String()):
			case sc.All || sc.Agents || sc.Session == o.id:
				next = st.info.Target
			}
		} else if found, since, err = s.foundIn(ctx, found, since, st); err != nil {
			return nil, 0, err
		} else if st.by(o.id.String()) {
			since = st.info.Since
			changed, err := s.changedBy(ctx, st)
			if err != nil {
				return nil, 0, err
			}
			if len(st.info.Sessions) > 1 { // carried forward for several sessions: ours are the files that the session's state lists
				known := setOf(textPaths(o.state.FilesTouched))
				changed = slices.DeleteFunc(changed, func(p string) bool { return !known[p] })
			}
			files = append(files, changed...)
			if st.info.Kind != checkpoint.StepTask {
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
		st = step{c, checkpoint.ParseStep(c.Message)}
	}
	return union(files, s.notOthers(ctx, o, found)), count, nil
}

// foundIn adds the files of a mixed step that another turn's start made during the turn that began
// at since. It returns since, zero from the turn's first step on.
func (s *ManualCommitStrategy) foundIn(ctx context.Context, found []string, since git.OID, st step) ([]string, git.OID, error) {
	switch {
	case since == st.OID:
		return found, git.OID{}, nil
	case since.IsZero() || st.info.Kind != checkpoint.StepMixed:
		return found, since, nil
	}
	changed, err := s.changedBy(ctx, st)
	return append(found, changed...), since, err
}

// notOthers returns those of the files that the session's edit calls name, or that no other session
// claims.
func (s *ManualCommitStrategy) notOthers(ctx context.Context, o *open, files []string) []string {
	sums, err := s.here(ctx)
	if len(files) == 0 || err != nil {
		return files // without the other sessions' claims, all files stay
	}
	own := map[string]bool{}
	if t := o.side.Capture.Talk; t != nil {
		own = setOf(s.relatives(t.EditsSince(agent.Mark{})))
	}
	claimed, named := s.othersFiles(ctx, o.id, sums, setOf(files))
	return slices.DeleteFunc(files, func(p string) bool { return !own[p] && (claimed[p] || named[p]) })
}

// changedBy returns the paths that a step changed.
func (s *ManualCommitStrategy) changedBy(ctx context.Context, st step) ([]string, error) {
	changes, err := s.stepChanges(ctx, st)
	return paths(changes), err
}

func (s *ManualCommitStrategy) stepChanges(ctx context.Context, st step) ([]git.Change, error) {
	var before git.OID
	if len(st.Parents) > 0 {
		p, err := s.repo.Reader(ctx).Commit(st.Parents[0])
		if err != nil {
			return nil, err
		}
		before = p.Tree
	} else if !st.info.Base.IsZero() {
		var err error
		if before, err = s.headTree(ctx, st.info.Base); err != nil {
			return nil, err
		}
	}
	changes, err := s.codeDiff(ctx, before, st.Tree)
	return changes, err
}
