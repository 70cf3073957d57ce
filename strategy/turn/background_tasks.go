package turn

import (
	"context"
	"slices"

	"entire/agent"
	"entire/agent/conversation"
	"entire/checkpoint/shadow"
	"entire/internal/redact"
	"entire/session"
	"entire/strategy/condense"
	"entire/strategy/evidence"
	"entire/strategy/sessionstate"
	"entire/strategy/step"
	"entire/strategy/transcript"
	"entire/strategy/worktree"
)

// beginTask notes that a subagent is active. It returns false if neither the event nor the
// session's state names the subagent's task.
func beginTask(o *sessionstate.LockedSession, ev agent.Event) bool {
	task := ev.ToolUseID
	if task == "" {
		task = taskOfAgent(o, ev)
	}
	if task == "" {
		return false
	}
	if o.Engine.Tasks == nil {
		o.Engine.Tasks = map[string]*sessionstate.RunningTask{}
	}
	mark := o.Engine.Tasks[task]
	if mark == nil {
		mark = newRunningTask(&o.Engine)
		o.Engine.Tasks[task] = mark
	}
	if ev.SubagentType != "" || ev.Description != "" {
		mark.Type, mark.Description = redact.Text(ev.SubagentType), redact.Text(ev.Description)
	}
	if ev.AgentID != "" {
		mark.Agent, mark.Background = ev.AgentID, true
		noteAgentTask(o, ev.AgentID, task)
	}
	return true
}

// taskOfAgent returns the task of the subagent that the event names: the task it is at, or the task it
// was at before; "" if none is known. A subagent that works alone is its own task.
func taskOfAgent(o *sessionstate.LockedSession, ev agent.Event) string {
	for task, m := range o.Engine.Tasks {
		if m.Agent == ev.AgentID {
			return task
		}
	}
	if known := o.Engine.Subagents[ev.AgentID].Task; known != "" || !ev.OwnSession {
		return known
	}
	return ev.AgentID
}

// noteAgentTask remembers the task of a subagent.
func noteAgentTask(o *sessionstate.LockedSession, aid, task string) {
	if o.Engine.Subagents == nil {
		o.Engine.Subagents = map[string]sessionstate.SubagentState{}
	}
	seen := o.Engine.Subagents[aid]
	seen.Task = task
	o.Engine.Subagents[aid] = seen
}

// completeTaskEvent completes the event of a task's end with what its beginning told. It returns false
// for a subagent that is not active.
func completeTaskEvent(o *sessionstate.LockedSession, ev agent.Event) (agent.Event, bool) {
	if ev.ToolUseID == "" {
		for task, m := range o.Engine.Tasks {
			if m.Agent == ev.AgentID {
				ev.ToolUseID = task
			}
		}
	}
	if ev.ToolUseID == "" {
		return ev, false
	}
	if m := o.Engine.Tasks[ev.ToolUseID]; m != nil {
		if ev.SubagentType == "" {
			ev.SubagentType = m.Type
		}
		if ev.Description == "" {
			ev.Description = m.Description
		}
	}
	if ev.AgentID != "" {
		noteAgentTask(o, ev.AgentID, ev.ToolUseID)
	}
	return ev, true
}

// dropTasks forgets the tasks for which over is true.
func dropTasks(sd *sessionstate.EngineState, over func(*sessionstate.RunningTask) bool) {
	for task, m := range sd.Tasks {
		if over(m) {
			delete(sd.Tasks, task)
		}
	}
}

// keepRunningTasks forgets, at the end of a turn, the subagents that are no longer active. running are
// the background subagents that the agent says are active; nil if it says nothing.
func keepRunningTasks(o *sessionstate.LockedSession, running []string) {
	dropTasks(&o.Engine, func(m *sessionstate.RunningTask) bool {
		return !m.Background || running != nil && !slices.Contains(running, m.Agent)
	})
	for _, aid := range running {
		beginTask(o, agent.Event{AgentID: aid, OwnSession: true})
	}
}

// endTurnAfterTasks ends a turn whose end was told before, once its last subagent has ended.
func endTurnAfterTasks(ctx context.Context, s *sessionstate.Env, o *sessionstate.LockedSession) error {
	if !o.Engine.TurnStart.EndReported || transcript.HasBackgroundTask(&o.Engine) {
		return nil
	}
	o.Engine.TurnStart.EndReported = false
	condense.Transition(s, o, session.TurnEnd)
	return condense.Finalise(ctx, s, o)
}

// ContinueTurn handles an agent that works again without a prompt. The turn stays the same; what
// differs from the last step is a person's work unless a subagent was active. Tasks that the
// event names as ended are ended, if no event told that before.
func ContinueTurn(ctx context.Context, s *sessionstate.Env, ev agent.Event) error {
	o, err := s.OpenSession(ctx, ev.SessionID)
	if err != nil {
		return err
	}
	defer o.Close()
	for _, aid := range ev.Ended {
		end := ev
		end.Type, end.AgentID = agent.TaskEnd, aid
		if end, known := completeTaskEvent(o, end); known {
			if err := endTask(ctx, s, o, end); err != nil {
				return err
			}
		}
	}
	if o.State.Phase != session.PhaseActive || !o.Engine.TurnStart.Seen {
		if err := reopenTurn(ctx, s, o, ev); err != nil {
			return err
		}
	}
	o.Engine.TurnStart.EndReported = false
	if ev.Socket != "" {
		o.Engine.Socket = ev.Socket
	}
	return s.SaveSession(ctx, o)
}

// reopenTurn continues the last turn: its prompt and where it began in the conversation stay.
func reopenTurn(ctx context.Context, s *sessionstate.Env, o *sessionstate.LockedSession, ev agent.Event) error {
	snap, err := EnterSession(ctx, s, o, ev)
	if err != nil {
		return err
	}
	if err := completeLastTurn(ctx, s, o, snap); err != nil {
		return err
	}
	was := o.Engine.TurnStart
	if err := recordTurnStart(ctx, s, o, snap); err != nil {
		return err
	}
	if was.Seen {
		o.Engine.TurnStart.ConversationMark, o.Engine.TurnStart.TranscriptSize, o.Engine.TurnStart.TranscriptLines = was.ConversationMark, was.TranscriptSize, was.TranscriptLines
	}
	o.Engine.TurnStart.OwnStepDue, o.Engine.TurnStart.OwnStepMade = was.OwnStepDue, was.OwnStepMade
	return nil
}

// saveConcurrentEdits saves what a person has changed while only background subagents were active, as a step
// of the person's. Files that the subagents' calls may have written are left for the step at
// their end.
func saveConcurrentEdits(ctx context.Context, s *sessionstate.Env, o *sessionstate.LockedSession, snap *worktree.Snapshot) error {
	turn := o.Engine.TurnStart
	if !turn.EndReported || turn.Head != snap.Head || turn.Digest == worktree.Digest(snap.Files) || !transcript.ShowsAllCalls(o.State.AgentType, o.Engine.Capture.Conversation) {
		return nil
	}
	w := transcript.SessionWork{Edited: map[string]bool{}, Reach: transcript.CallEffects{Top: s.Repo.Top}}
	transcript.ScanUnreadSubagents(o, func(c *conversation.Conversation, since conversation.Mark) {
		evidence.AddSubagentEvidence(s, &w, c, since)
	}, nil)
	if w.ImportedContent {
		return nil
	}
	var was sessionstate.PathVersions
	if !turn.Step.IsZero() {
		var err error
		if was, err = evidence.StepFiles(ctx, s, turn.Head, turn.Step); err != nil {
			return err
		}
	}
	person := *snap
	person.Files = withPathsFrom(snap.Files, func(p string) bool { return w.Edited[p] || w.Reach.MayHaveWritten(p) }, was)
	if worktree.Equal(person.Files, was) {
		return nil
	}
	made, err := step.WriteStep(ctx, s, step.NewStep{
		Step: shadow.Step{Kind: kindOfFoundStep(ctx, s, o), Subject: "changes beside a subagent", Session: o.ID,
			StepContext: o.StepContext(shadow.WhyTask)},
		Author: s.AuthorOf(ctx, o), Snap: &person,
	})
	if err != nil {
		return err
	}
	o.Engine.TurnStart.Step, o.Engine.TurnStart.Digest = made.Commit, worktree.Digest(person.Files)
	return nil
}

// withPathsFrom returns the files, with the paths for which some is true as they are in was.
func withPathsFrom(fs sessionstate.PathVersions, some func(path string) bool, was sessionstate.PathVersions) sessionstate.PathVersions {
	var out []sessionstate.PathVersion
	for _, f := range fs {
		if !some(f.Path) {
			out = append(out, f)
		}
	}
	for _, f := range was {
		if some(f.Path) {
			out = append(out, f)
		}
	}
	return worktree.SortVersions(out)
}
