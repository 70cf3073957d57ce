package turn

import (
	"context"
	"fmt"

	"entire/agent"
	"entire/checkpoint/shadow"
	"entire/id"
	"entire/internal/git"
	"entire/internal/redact"
	"entire/session"
	"entire/strategy/condense"
	"entire/strategy/evidence"
	"entire/strategy/link"
	"entire/strategy/ownership"
	"entire/strategy/sessionstate"
	"entire/strategy/step"
	"entire/strategy/transcript"
	"entire/strategy/worktree"
)

// TurnStart records the worktree before the agent acts. Differences to the last step are a
// person's work, and become a step.
func TurnStart(ctx context.Context, s *sessionstate.Env, ev agent.Event) error {
	return s.UpdateSession(ctx, ev.SessionID, func(o *sessionstate.LockedSession) error {
		adoptPrompt(o, ev)
		if hasBegun(o, ev) {
			return transcript.KeepLines(s, o, ev)
		}
		completeImplied(&ev)
		snap, err := EnterSession(ctx, s, o, ev)
		if err != nil {
			return err
		}
		if err := beginNext(ctx, s, o, ev, snap); err != nil {
			return err
		}
		startAtPrompt(o, ev)
		return nil
	})
}

// adoptPrompt gives the open turn the event's prompt if it has none with a name yet: a call of its own has begun it.
func adoptPrompt(o *sessionstate.LockedSession, ev agent.Event) {
	if ev.PromptID != "" && o.Engine.PromptID == "" && inTurn(o) {
		o.Engine.PromptID = ev.PromptID
		notePrompt(o, ev)
	}
}

// hasBegun reports whether another event has begun the turn of this one.
func hasBegun(o *sessionstate.LockedSession, ev agent.Event) bool {
	if ev.PromptID == "" {
		return ev.Implied && inTurn(o)
	}
	return o.Engine.PromptID == ev.PromptID
}

// beginNext begins a turn, and closes the last one if it is open: Esc and Ctrl-C end a turn without an event.
func beginNext(ctx context.Context, s *sessionstate.Env, o *sessionstate.LockedSession, ev agent.Event, snap *worktree.Snapshot) error {
	if inTurn(o) {
		o.Interrupted, o.NextImplied = true, ev.Implied
		if err := finishTurn(ctx, s, o, snap); err != nil {
			return fmt.Errorf("close the interrupted turn: %w", err)
		}
		o.NextPrompt = ""
	}
	return beginTurn(ctx, s, o, ev, snap)
}

// completeImplied completes an event that implies a turn with the prompt that the transcript has.
func completeImplied(ev *agent.Event) {
	if ev.Implied && ev.PromptID == "" {
		ev.Prompt, _ = transcript.PromptBefore(ev.AgentType, ev.TranscriptPath)
	}
}

// startAtPrompt moves the turn's start back to its prompt, if that is unread, where a call or the turn's end
// may have begun the turn: they stand after it.
func startAtPrompt(o *sessionstate.LockedSession, ev agent.Event) {
	if !ev.Implied && ev.PromptID == "" {
		return
	}
	prompt, offset := transcript.PromptBefore(o.State.AgentType, o.State.TranscriptPath)
	start := &o.Engine.TurnStart
	switch {
	case prompt == "" || offset < o.Engine.Capture.Offset || offset >= start.TranscriptSize:
	case offset == 0:
		start.TranscriptSize, start.TranscriptLines = 0, 0
	default:
		start.TranscriptSize = offset
	}
}

// EnterSession takes a snapshot, looks for commits that no hook saw, and makes the session one of this
// worktree.
func EnterSession(ctx context.Context, s *sessionstate.Env, o *sessionstate.LockedSession, ev agent.Event) (*worktree.Snapshot, error) {
	snap, err := snapshotInTime(ctx, s)
	if err != nil {
		return nil, err
	}
	if err := link.CheckUnhooked(ctx, s, o, snap.Head); err != nil {
		return nil, err
	}
	return snap, beginSession(ctx, s, o, ev, snap)
}

func beginTurn(ctx context.Context, s *sessionstate.Env, o *sessionstate.LockedSession, ev agent.Event, snap *worktree.Snapshot) error {
	o.NextPrompt = redact.Text(ev.Prompt) // the transcript may already hold it
	if err := completeLastTurn(ctx, s, o, snap); err != nil {
		return err
	}
	o.NextPrompt = ""
	noteFolder(s, o, ev)
	o.Engine.Socket = ev.Socket
	transcript.DropHookCalls(s, o.ID)
	if err := s.AppendOwnTranscript(o, ev); err != nil {
		return err
	}
	evidence.DropUndecided(o)
	o.CountTurn()
	dropTasks(&o.Engine, func(m *sessionstate.RunningTask) bool { return !m.Background }) // a subagent in the foreground was interrupted
	o.Engine.PromptID = ev.PromptID
	notePrompt(o, ev)
	return recordTurnStart(ctx, s, o, snap)
}

// noteFolder notes the folder in which the agent works, if the event names one here.
func noteFolder(s *sessionstate.Env, o *sessionstate.LockedSession, ev agent.Event) {
	if folder, here := transcript.RepoPath(s, ev.Dir); here && ev.Dir != "" {
		if o.Engine.Capture.Folder = folder; folder == "." {
			o.Engine.Capture.Folder = ""
		}
	}
}

// notePrompt notes the prompt of the open turn.
func notePrompt(o *sessionstate.LockedSession, ev agent.Event) {
	o.Engine.Prompt = redact.Text(ev.Prompt)
	if key := agent.PromptKey(agent.CleanPrompt(o.Engine.Prompt)); key != "" {
		transcript.SetTurnPrompt(&o.Engine, o.Engine.TurnNumber, key)
	}
}

// completeLastTurn completes the end of the last turn and moves the session's steps to HEAD.
func completeLastTurn(ctx context.Context, s *sessionstate.Env, o *sessionstate.LockedSession, snap *worktree.Snapshot) error {
	if err := condense.Finalise(ctx, s, o); err != nil {
		return err
	}
	if err := catchUp(ctx, s, o, snap); err != nil {
		return err
	}
	return condense.MigrateIdle(ctx, s, o, snap)
}

// recordTurnStart records the present state as the start of the turn.
func recordTurnStart(ctx context.Context, s *sessionstate.Env, o *sessionstate.LockedSession, snap *worktree.Snapshot) error {
	step, err := humanStep(ctx, s, o, snap)
	if err != nil {
		return err
	}
	noteLate(o, snap, true)
	evidence.DropReverted(ctx, s, o, snap)
	stash := evidence.NewestStash(ctx, s)
	o.Engine.Stash = &stash
	before := o.Engine.TurnStart.ConversationMark.Prompts
	o.Engine.TurnStart = sessionstate.TurnStart{Head: snap.Head, Step: step, Digest: worktree.Digest(snap.Files), Seen: true}
	mark := &o.Engine.TurnStart.ConversationMark
	if o.Engine.Capture.Conversation != nil {
		*mark = o.Engine.Capture.Conversation.Mark()
	}
	if o.Engine.TurnNumber > 1 && mark.Prompts == before {
		mark.Prompts++ // the transcript does not have the prompt of the turn before yet
	}
	o.Engine.TurnStart.TranscriptSize, o.Engine.TurnStart.TranscriptLines = evidence.UnreadPart(o)
	if o.Engine.AgentProcess = nil; s.Caller != nil {
		if by, ok := s.Caller(); ok {
			o.Engine.AgentProcess = &by
		}
	}
	turn, err := id.Generate()
	if err != nil {
		return err
	}
	o.State.TurnID = turn.String()
	o.State.LastCheckpointID = id.CheckpointID{}
	condense.Transition(s, o, session.TurnStart)
	return nil
}

// humanStep saves the differences to the last step and returns the step that the worktree equals
// now, zero if that is HEAD itself.
func humanStep(ctx context.Context, s *sessionstate.Env, o *sessionstate.LockedSession, snap *worktree.Snapshot) (git.OID, error) {
	c, ref := worktree.LoadCache(ctx, s), worktree.ShadowRef(s, snap.Head)
	if c.Ref == ref && c.Head == snap.Head && !c.Tip.IsZero() && worktree.Equal(c.Files, snap.Files) {
		if snap.HashedCount > 0 { // the cache did not trust the stat data of files that had just changed
			snap.Gaps = c.Gaps
			worktree.SaveCache(s, snap.CacheOf(ref, c.Tip))
		}
		return c.Tip, nil
	}
	if len(snap.Files) == 0 && c.Tip.IsZero() && c.Head == snap.Head { // no step on this commit
		return git.OID{}, nil
	}
	_, exists, err := s.Repo.Reader(ctx).CommitOf(ref)
	if err != nil {
		return git.OID{}, err
	}
	if !exists && len(snap.Files) == 0 {
		worktree.SaveCache(s, snap.CacheOf("", git.OID{}))
		return git.OID{}, nil
	}
	w, err := step.WriteStep(ctx, s, step.NewStep{
		Step: shadow.Step{Kind: kindOfFoundStep(ctx, s, o), Subject: "changes before the turn", Session: o.ID,
			StepContext: o.StepContext(shadow.WhyPrompt)},
		Author: s.AuthorOf(ctx, o), Snap: snap,
	})
	if err != nil {
		return git.OID{}, err
	}
	if w.Skipped {
		worktree.SaveCache(s, snap.CacheOf(ref, w.Commit))
	}
	return w.Commit, nil
}

// kindOfFoundStep returns the kind of a step with changes that the session did not make: a person's,
// or mixed if another session is active.
func kindOfFoundStep(ctx context.Context, s *sessionstate.Env, o *sessionstate.LockedSession) shadow.StepKind {
	if condense.OthersActive(ctx, s, o.ID) {
		return shadow.StepMixed
	}
	return shadow.StepHuman
}

// TurnEnd saves the agent's work as a step.
func TurnEnd(ctx context.Context, s *sessionstate.Env, ev agent.Event) error {
	return s.UpdateSession(ctx, ev.SessionID, func(o *sessionstate.LockedSession) error {
		adoptPrompt(o, ev)
		begins := (ev.Implied || ev.PromptID != "") && !hasBegun(o, ev)
		if begins {
			completeImplied(&ev)
		}
		snap, err := EnterSession(ctx, s, o, ev)
		if err != nil {
			return err
		}
		if begins { // an answer without a call: what differs is a person's
			if err := beginNext(ctx, s, o, ev, snap); err != nil {
				return err
			}
			startAtPrompt(o, ev)
		}
		if err := s.AppendOwnTranscript(o, ev); err != nil {
			return err
		}
		if err := finishTurn(ctx, s, o, snap); err != nil {
			return err
		}
		transcript.DropHookCalls(s, o.ID)
		keepRunningTasks(o, ev.BackgroundTasks)
		if o.Engine.TurnStart.EndReported = transcript.HasBackgroundTask(&o.Engine); !o.Engine.TurnStart.EndReported {
			condense.Transition(s, o, session.TurnEnd)
		}
		return nil
	})
}

// inTurn reports whether a turn of the session is open.
func inTurn(o *sessionstate.LockedSession) bool {
	return o.State.Phase == session.PhaseActive && o.Engine.TurnStart.Seen
}

// finishTurn makes the agent's step if anything changed since the turn began, and completes the
// checkpoints of commits that were made during the turn.
func finishTurn(ctx context.Context, s *sessionstate.Env, o *sessionstate.LockedSession, snap *worktree.Snapshot) error {
	o.Engine.NotCaptured = worktree.BoundedList(snap.Skipped)
	if err := catchUp(ctx, s, o, snap); err != nil {
		return err
	}
	if err := saveConcurrentEdits(ctx, s, o, snap); err != nil {
		return err
	}
	if err := saveStashed(ctx, s, o, snap); err != nil {
		return err
	}
	noteLate(o, snap, false)
	turn := o.Engine.TurnStart
	if turn.Seen && !turn.OwnStepDue && turn.Head == snap.Head && turn.Digest == worktree.Digest(snap.Files) {
		findUncapturedLines(ctx, s, o, snap.Head)
		return condense.Finalise(ctx, s, o)
	}
	if bare, err := equalsHeadWithoutSteps(ctx, s, snap); err != nil {
		return err
	} else if bare && turn.Head != snap.Head {
		findUncapturedLines(ctx, s, o, snap.Head)
		return condense.Finalise(ctx, s, o) // only HEAD has moved
	}
	whole, err := false, error(nil)
	if o.Interrupted {
		whole, err = saveWorked(ctx, s, o, snap)
	}
	if err == nil && !whole {
		err = writeAgentStep(ctx, s, o, snap)
	}
	if err != nil {
		return err
	}
	o.Engine.TurnStart.OwnStepMade = true
	return condense.Finalise(ctx, s, o)
}

// findUncapturedLines is NoteUncapturedLines for a turn without a step, whose transcript was not read yet. No ref will name
// what is stored of the transcript here, but the session's state does: without it, the next event reads all of it again.
func findUncapturedLines(ctx context.Context, s *sessionstate.Env, o *sessionstate.LockedSession, head git.OID) {
	var w transcript.SessionWork
	if evidence.ScanLiveTranscript(s, o, &w); len(w.Edited) == 0 && !w.EditedOutside {
		return
	}
	err := condense.ReadTranscript(ctx, s, o)
	if err == nil {
		err = s.Repo.Writer().Sync()
	}
	if err == nil {
		err = ownership.NoteUncapturedLines(ctx, s, o, head)
	}
	if err != nil {
		s.Log.Warn("calls whose work is nowhere were not looked at", "session_id", o.ID.String(), "err", err)
	}
}

// equalsHeadWithoutSteps reports whether the worktree equals HEAD and no step exists on that commit, so
// that no step is needed to restore it.
func equalsHeadWithoutSteps(ctx context.Context, s *sessionstate.Env, snap *worktree.Snapshot) (bool, error) {
	if len(snap.Files) > 0 {
		return false, nil
	}
	_, exists, err := s.Repo.Reader(ctx).CommitOf(worktree.ShadowRef(s, snap.Head))
	return !exists, err
}
