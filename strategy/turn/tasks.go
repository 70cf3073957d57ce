package turn

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"time"

	"entire/agent"
	"entire/agent/agents"
	"entire/checkpoint/shadow"
	"entire/checkpoint/trailer"
	"entire/internal/git"
	"entire/internal/redact"
	"entire/strategy/condense"
	"entire/strategy/sessionstate"
	"entire/strategy/step"
	"entire/strategy/transcript"
	"entire/strategy/worktree"
)

// TaskStart records that a subagent has started.
func TaskStart(ctx context.Context, s *sessionstate.Env, ev agent.Event) error {
	o, err := s.OpenSession(ctx, ev.SessionID)
	if err != nil {
		return err
	}
	defer o.Close()
	if !beginTask(o, ev) {
		return nil // the event of the tool call that started it records it
	}
	if o.IsNew { // a session without a start event
		if _, err := EnterSession(ctx, s, o, ev); err != nil {
			return err
		}
	}
	return s.SaveSession(ctx, o)
}

// TodoStep makes an incremental step inside a subagent's run, under a number that no earlier step
// has.
func TodoStep(ctx context.Context, s *sessionstate.Env, ev agent.Event) error {
	o, err := s.OpenSession(ctx, ev.SessionID)
	if err != nil {
		return err
	}
	defer o.Close()
	task, mark := newestRunningTask(&o.Engine)
	if mark == nil {
		return nil // no subagent is running
	}
	n := mark.Steps + 1
	data, err := marshalTaskRecord(map[string]any{
		"type": ev.ToolName, "tool_use_id": task, "todo_tool_use_id": ev.ToolUseID, "timestamp": s.Now().UTC().Format(time.RFC3339),
		"data": redact.JSON(ev.ToolInput),
	})
	if err != nil {
		return err
	}
	name := fmt.Sprintf("checkpoints/%03d-%s.json", n, task)
	subject := redact.Text(trailer.IncrementalSubject(agent.DoneTodo(ev.Todos), n, task))
	made, err := taskStep(ctx, s, o, ev, task, subject, map[string][]byte{name: data})
	if err != nil || !made {
		return err
	}
	mark.Steps = n
	return s.SaveSession(ctx, o)
}

// TaskEnd makes the step at a subagent's end.
func TaskEnd(ctx context.Context, s *sessionstate.Env, ev agent.Event) error {
	o, err := s.OpenSession(ctx, ev.SessionID)
	if err != nil {
		return err
	}
	defer o.Close()
	if ev, known := completeTaskEvent(o, ev); known {
		transcript.AwaitSubagent(ctx, o, ev.AgentID, ev.Answer)
		return endTask(ctx, s, o, ev)
	}
	return nil // already ended, or the event of the tool call that started it ends it
}

// endTask makes the step at the end of a running subagent.
func endTask(ctx context.Context, s *sessionstate.Env, o *sessionstate.LockedSession, ev agent.Event) error {
	if err := TryReadTranscript(ctx, s, o); err != nil {
		return err
	}
	uuid := ""
	if t := o.Engine.Capture.Conversation; t != nil {
		uuid = t.LastUUID
	}
	doc, err := marshalTaskRecord(struct {
		SessionID      string `json:"session_id"`
		ToolUseID      string `json:"tool_use_id"`
		CheckpointUUID string `json:"checkpoint_uuid"`
		AgentID        string `json:"agent_id"`
	}{o.ID.String(), ev.ToolUseID, uuid, ev.AgentID})
	if err != nil {
		return err
	}
	files := map[string][]byte{"checkpoint.json": doc}
	if log := condense.SubagentLog(agents.For(ev.AgentType), ev.TranscriptPath, o.ID, ev.AgentID); len(log) > 0 {
		files[condense.SubagentLogName(ev.AgentID)] = log
	}
	subject := redact.Text(trailer.TaskSubject(ev.SubagentType, ev.Description, ev.ToolUseID))
	made, err := taskStep(ctx, s, o, ev, ev.ToolUseID, subject, files)
	if err == nil && !made {
		err = transcript.KeepTaskWithoutStep(ctx, s, o, ev.ToolUseID, files)
	}
	if err != nil {
		return err
	}
	delete(o.Engine.Tasks, ev.ToolUseID)
	if err := endTurnAfterTasks(ctx, s, o); err != nil {
		return err
	}
	return s.SaveSession(ctx, o)
}

// taskStep writes the worktree and the task's files as a step. It makes none if no file has
// changed since the last step.
func taskStep(ctx context.Context, s *sessionstate.Env, o *sessionstate.LockedSession, ev agent.Event, task, subject string, files map[string][]byte) (made bool, err error) {
	snap, err := EnterSession(ctx, s, o, ev)
	if err != nil {
		return false, err
	}
	if err := catchUp(ctx, s, o, snap); err != nil {
		return false, err
	}
	if err := saveConcurrentEdits(ctx, s, o, snap); err != nil {
		return false, err
	}
	if o.Engine.TurnStart.Seen && o.Engine.TurnStart.Head == snap.Head && o.Engine.TurnStart.Digest == worktree.Digest(snap.Files) {
		return false, nil
	}
	if err := TryReadTranscript(ctx, s, o); err != nil {
		return false, err
	}
	overlay, err := step.SessionOverlay(s, o, s.TurnPrompts(o), subject)
	if err != nil {
		return false, err
	}
	for name, data := range files {
		oid, err := s.Repo.Conversation(o.ID.String()).Blob(data)
		if err != nil {
			return false, err
		}
		overlay = append(overlay, git.Edit{Path: shadow.TaskDir(o.ID, task) + "/" + name, Mode: git.ModeFile, OID: oid})
	}
	count := o.State.CheckpointCount
	err = writeSessionStep(ctx, s, o, snap, shadow.Step{Kind: shadow.StepTask, Subject: subject, ToolUseID: task,
		Subagents: transcript.SubagentPositions(o), StepContext: o.StepContext(sessionstate.TaskReason(ev))}, overlay)
	if err != nil {
		return false, err
	}
	o.State.CheckpointCount = count // task steps are not counted
	o.Engine.TurnStart.OwnStepDue = !o.Engine.TurnStart.OwnStepMade
	return true, nil
}

// newestRunningTask returns the running subagent that started last.
func newestRunningTask(sd *sessionstate.EngineState) (name string, newest *sessionstate.RunningTask) {
	for n, m := range sd.Tasks {
		if newest == nil || m.Order > newest.Order || m.Order == newest.Order && n > name {
			name, newest = n, m
		}
	}
	return name, newest
}

func newRunningTask(sd *sessionstate.EngineState) *sessionstate.RunningTask {
	if _, newest := newestRunningTask(sd); newest != nil {
		return &sessionstate.RunningTask{Order: newest.Order + 1}
	}
	return &sessionstate.RunningTask{}
}

// marshalTaskRecord encodes JSON as it is stored in a task's folder: indented by two spaces, without a
// final newline.
func marshalTaskRecord(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		return nil, fmt.Errorf("write task record: %w", err)
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}
