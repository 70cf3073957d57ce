package strategy

import (
	"context"
	"slices"

	"entire/agent"
	"entire/checkpoint"
	"entire/internal/git"
	"entire/internal/redact"
	"entire/session"
)

// beginTask notes that a subagent is active. It returns false if neither the event nor the
// session's state names the subagent's task.
func (o *open) beginTask(ev agent.Event) bool {
	task := ev.ToolUseID
	if task == "" {
		task = o.taskOf(ev)
	}
	if task == "" {
		return false
	}
	if o.side.Tasks == nil {
		o.side.Tasks = map[string]*taskMark{}
	}
	mark := o.side.Tasks[task]
	if mark == nil {
		mark = o.side.nextTask()
		o.side.Tasks[task] = mark
	}
	if ev.SubagentType != "" || ev.Description != "" {
		mark.Type, mark.Description = redact.Text(ev.SubagentType), redact.Text(ev.Description)
	}
	if ev.AgentID != "" {
		mark.Agent, mark.Background = ev.AgentID, true
		o.noteAgentTask(ev.AgentID, task)
	}
	return true
}

// taskOf returns the task of the subagent that the event names: the task it is at, or the task it
// was at before; "" if none is known. A subagent that works alone is its own task.
func (o *open) taskOf(ev agent.Event) string {
	for task, m := range o.side.Tasks {
		if m.Agent == ev.AgentID {
			return task
		}
	}
	if known := o.side.Agents[ev.AgentID].Task; known != "" || !ev.Alone {
		return known
	}
	return ev.AgentID
}

// noteAgentTask remembers the task of a subagent.
func (o *open) noteAgentTask(aid, task string) {
	if o.side.Agents == nil {
		o.side.Agents = map[string]seenAgent{}
	}
	seen := o.side.Agents[aid]
	seen.Task = task
	o.side.Agents[aid] = seen
}

// taskNamed completes the event of a task's end with what its beginning told. It returns false
// for a subagent that is not active.
func (o *open) taskNamed(ev agent.Event) (agent.Event, bool) {
	if ev.ToolUseID == "" {
		for task, m := range o.side.Tasks {
			if m.Agent == ev.AgentID {
				ev.ToolUseID = task
			}
		}
	}
	if ev.ToolUseID == "" {
		return ev, false
	}
	if m := o.side.Tasks[ev.ToolUseID]; m != nil {
		if ev.SubagentType == "" {
			ev.SubagentType = m.Type
		}
		if ev.Description == "" {
			ev.Description = m.Description
		}
	}
	if ev.AgentID != "" {
		o.noteAgentTask(ev.AgentID, ev.ToolUseID)
	}
	return ev, true
}

// inBackground reports whether a subagent works independently of the main conversation.
func (sd *side) inBackground() bool {
	for _, m := range sd.Tasks {
		if m.Background {
			return true
		}
	}
	return false
}

// inForeground reports whether the main conversation waits for a subagent.
func (sd *side) inForeground() bool {
	for _, m := range sd.Tasks {
		if !m.Background {
			return true
		}
	}
	return false
}

// dropTasks forgets the tasks for which over is true.
func (sd *side) dropTasks(over func(*taskMark) bool) {
	for task, m := range sd.Tasks {
		if over(m) {
			delete(sd.Tasks, task)
		}
	}
}

// keepAtWork forgets, at the end of a turn, the subagents that are no longer active. running are
// the background subagents that the agent says are active; nil if it says nothing.
func (o *open) keepAtWork(running []string) {
	o.side.dropTasks(func(m *taskMark) bool {
		return !m.Background || running != nil && !slices.Contains(running, m.Agent)
	})
	for _, aid := range running {
		o.beginTask(agent.Event{AgentID: aid, Alone: true})
	}
}

// turnIsOver ends a turn whose end was told before, once its last subagent has ended.
func (s *ManualCommitStrategy) turnIsOver(ctx context.Context, o *open) error {
	if !o.side.Turn.Told || o.side.inBackground() {
		return nil
	}
	o.side.Turn.Told = false
	s.transition(o, session.TurnEnd)
	return s.finalise(ctx, o)
}

// turnGoesOn handles an agent that works again without a prompt. The turn stays the same; what
// differs from the last step is a person's work unless a subagent was active. Tasks that the
// event names as ended are ended, if no event told that before.
func (s *ManualCommitStrategy) turnGoesOn(ctx context.Context, ev agent.Event) error {
	o, err := s.openSession(ctx, ev.SessionID)
	if err != nil {
		return err
	}
	defer o.close()
	for _, aid := range ev.Ended {
		end := ev
		end.Type, end.AgentID = agent.TaskEnd, aid
		if end, known := o.taskNamed(end); known {
			if err := s.endTask(ctx, o, end); err != nil {
				return err
			}
		}
	}
	if o.state.Phase != session.PhaseActive || !o.side.Turn.Seen {
		if err := s.reopenTurn(ctx, o, ev); err != nil {
			return err
		}
	}
	o.side.Turn.Told = false
	return s.save(ctx, o)
}

// reopenTurn continues the last turn: its prompt and where it began in the conversation stay.
func (s *ManualCommitStrategy) reopenTurn(ctx context.Context, o *open, ev agent.Event) error {
	snap, err := s.arrive(ctx, o, ev)
	if err != nil {
		return err
	}
	if err := s.endTurnBefore(ctx, o, snap); err != nil {
		return err
	}
	was := o.side.Turn
	if err := s.markTurn(ctx, o, snap); err != nil {
		return err
	}
	if was.Seen {
		o.side.Turn.Talk, o.side.Turn.Said, o.side.Turn.Lines = was.Talk, was.Said, was.Lines
	}
	o.side.Turn.Partial, o.side.Turn.Own = was.Partial, was.Own
	return nil
}

// withRunning adds the transcripts of running background subagents to a tree of tasks.
func (s *ManualCommitStrategy) withRunning(ctx context.Context, o *open, tasks git.OID) (git.OID, error) {
	var edits []git.Edit
	for task, m := range o.side.Tasks {
		log := subagentLog(agent.For(o.state.AgentType), o.state.TranscriptPath, o.id, m.Agent)
		if !m.Background || len(log) == 0 {
			continue
		}
		oid, err := s.repo.Writer().Blob(log)
		if err != nil {
			return tasks, err
		}
		edits = append(edits, git.Edit{Path: task + "/" + agentLogName(m.Agent), Mode: git.ModeFile, OID: oid})
	}
	if len(edits) == 0 {
		return tasks, nil
	}
	return s.repo.EditTree(ctx, tasks, edits)
}

// setApart saves what a person has changed while only background subagents were active, as a step
// of the person's. Files that the subagents' calls may have written are left for the step at
// their end.
func (s *ManualCommitStrategy) setApart(ctx context.Context, o *open, snap *snapshot) error {
	turn := o.side.Turn
	if !turn.Told || turn.Head != snap.head || turn.Digest == snap.files.digest() || !tellsAll(o.state.AgentType) {
		return nil
	}
	w := work{edited: map[string]bool{}, reach: reach{top: s.repo.Top}}
	o.unreadSubagents(func(talk *agent.Conversation, since agent.Mark) { s.hearSubagent(&w, talk, since) }, nil)
	if w.took {
		return nil
	}
	var was fileStates
	if !turn.Step.IsZero() {
		var err error
		if was, err = s.stepFiles(ctx, turn.Head, turn.Step); err != nil {
			return err
		}
	}
	person := *snap
	person.files = snap.files.except(func(p string) bool { return w.edited[p] || w.reach.may(p) }, was)
	if person.files.equal(was) {
		return nil
	}
	made, err := s.writeStep(ctx, newStep{
		step: checkpoint.Step{Kind: s.foundKind(ctx, o), Subject: "changes beside a subagent", Session: o.id, Base: snap.head,
			StepContext: o.moment(checkpoint.WhyTask)},
		author: s.author(ctx, o), base: snap.head, snap: &person,
	})
	if err != nil {
		return err
	}
	o.side.Turn.Step, o.side.Turn.Digest = made.commit, person.files.digest()
	return nil
}

// except returns the files, with the paths for which some is true as they are in was.
func (fs fileStates) except(some func(path string) bool, was fileStates) fileStates {
	var out []fileState
	for _, f := range fs {
		if !some(f.path) {
			out = append(out, f)
		}
	}
	for _, f := range was {
		if some(f.path) {
			out = append(out, f)
		}
	}
	return sortStates(out)
}
