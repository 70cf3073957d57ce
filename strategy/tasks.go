package strategy

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"entire/agent"
	"entire/checkpoint"
	"entire/id"
	"entire/internal/durable"
	"entire/internal/git"
	"entire/internal/redact"
)

// taskMark is a running subagent.
type taskMark struct {
	Steps int `json:"steps"`           // incremental steps made so far
	Began int `json:"began,omitempty"` // order of the start among the running ones

	// Agent is the subagent's ID if it is known. Background is true if it runs on after the call
	// that started it. Type and Description come from the event of its start.
	Agent       string `json:"agent,omitempty"`
	Background  bool   `json:"background,omitempty"`
	Type        string `json:"type,omitempty"`
	Description string `json:"description,omitempty"`
}

// taskStart records that a subagent has started.
func (s *ManualCommitStrategy) taskStart(ctx context.Context, ev agent.Event) error {
	o, err := s.openSession(ctx, ev.SessionID)
	if err != nil {
		return err
	}
	defer o.close()
	if !o.beginTask(ev) {
		return nil // the event of the tool call that started it records it
	}
	if o.isNew { // a session without a start event
		if _, err := s.arrive(ctx, o, ev); err != nil {
			return err
		}
	}
	return s.save(ctx, o)
}

// todo makes an incremental step inside a subagent's run, under a number that no earlier step
// has.
func (s *ManualCommitStrategy) todo(ctx context.Context, ev agent.Event) error {
	o, err := s.openSession(ctx, ev.SessionID)
	if err != nil {
		return err
	}
	defer o.close()
	task, mark := o.side.newestTask()
	if mark == nil {
		return nil // no subagent is running
	}
	n := mark.Steps + 1
	data, err := marshal(map[string]any{
		"type": ev.ToolName, "tool_use_id": task, "todo_tool_use_id": ev.ToolUseID, "timestamp": s.Now().UTC().Format(time.RFC3339),
		"data": redact.JSON(ev.ToolInput),
	})
	if err != nil {
		return err
	}
	name := fmt.Sprintf("checkpoints/%03d-%s.json", n, task)
	subject := redact.Text(checkpoint.IncrementalSubject(agent.DoneTodo(ev.Todos), n, task))
	made, err := s.taskStep(ctx, o, ev, task, subject, map[string][]byte{name: data})
	if err != nil || !made {
		return err
	}
	mark.Steps = n
	return s.save(ctx, o)
}

// taskEnd makes the step at a subagent's end.
func (s *ManualCommitStrategy) taskEnd(ctx context.Context, ev agent.Event) error {
	o, err := s.openSession(ctx, ev.SessionID)
	if err != nil {
		return err
	}
	defer o.close()
	if ev, known := o.taskNamed(ev); known {
		return s.endTask(ctx, o, ev)
	}
	return nil // already ended, or the event of the tool call that started it ends it
}

// endTask makes the step at the end of a running subagent.
func (s *ManualCommitStrategy) endTask(ctx context.Context, o *open, ev agent.Event) error {
	if err := s.readWhatIsThere(ctx, o); err != nil {
		return err
	}
	uuid := ""
	if t := o.side.Capture.Talk; t != nil {
		uuid = t.LastUUID
	}
	doc, err := marshal(struct {
		SessionID      string `json:"session_id"`
		ToolUseID      string `json:"tool_use_id"`
		CheckpointUUID string `json:"checkpoint_uuid"`
		AgentID        string `json:"agent_id"`
	}{o.id.String(), ev.ToolUseID, uuid, ev.AgentID})
	if err != nil {
		return err
	}
	files := map[string][]byte{"checkpoint.json": doc}
	if log := subagentLog(agent.For(ev.AgentType), ev.TranscriptPath, o.id, ev.AgentID); len(log) > 0 {
		files[agentLogName(ev.AgentID)] = log
	}
	subject := redact.Text(checkpoint.TaskSubject(ev.SubagentType, ev.Description, ev.ToolUseID))
	made, err := s.taskStep(ctx, o, ev, ev.ToolUseID, subject, files)
	if err == nil && !made {
		err = s.keepQuiet(ctx, o, ev.ToolUseID, files)
	}
	if err != nil {
		return err
	}
	delete(o.side.Tasks, ev.ToolUseID)
	if err := s.turnIsOver(ctx, o); err != nil {
		return err
	}
	return s.save(ctx, o)
}

func agentLogName(aid string) string { return "agent-" + aid + ".jsonl" }

// subagentLog returns the subagent's own transcript, redacted.
func subagentLog(a agent.Agent, transcript string, sid id.SessionID, aid string) []byte {
	if aid == "" {
		return nil
	}
	for _, path := range a.SubagentTranscripts(transcript, sid, aid) {
		if data, err := durable.Read(path, agent.MaxTranscript); err == nil {
			return redact.Lines(data)
		}
	}
	return nil
}

// taskStep writes the worktree and the task's files as a step. It makes none if no file has
// changed since the last step.
func (s *ManualCommitStrategy) taskStep(ctx context.Context, o *open, ev agent.Event, task, subject string, files map[string][]byte) (made bool, err error) {
	snap, err := s.arrive(ctx, o, ev)
	if err != nil {
		return false, err
	}
	if err := s.catchUp(ctx, o, snap); err != nil {
		return false, err
	}
	if err := s.setApart(ctx, o, snap); err != nil {
		return false, err
	}
	if o.side.Turn.Seen && o.side.Turn.Head == snap.head && o.side.Turn.Digest == snap.files.digest() {
		return false, nil
	}
	before, err := s.markedTree(ctx, o.side.Turn, snap.head)
	if err != nil {
		return false, err
	}
	if err := s.readWhatIsThere(ctx, o); err != nil {
		return false, err
	}
	overlay, err := s.sessionOverlay(o, s.turnPrompts(o), subject)
	if err != nil {
		return false, err
	}
	for name, data := range files {
		oid, err := s.repo.Writer().Blob(data)
		if err != nil {
			return false, err
		}
		overlay = append(overlay, git.Edit{Path: checkpoint.TaskDir(o.id, task) + "/" + name, Mode: git.ModeFile, OID: oid})
	}
	also, err := s.backlogDone(ctx, o)
	if err != nil {
		return false, err
	}
	w, err := s.writeStep(ctx, newStep{
		step: checkpoint.Step{Kind: checkpoint.StepTask, Subject: subject, Session: o.id, ToolUseID: task, Base: snap.head,
			Transcript: o.side.Capture.position(), Subagents: o.subagentsAtWork(), Since: o.side.Turn.began(),
			StepContext: o.moment(taskWhy(ev))},
		author: s.author(ctx, o), base: snap.head, snap: snap, overlay: overlay, also: also,
	})
	if err != nil {
		return false, err
	}
	o.side.Backlog = o.side.Backlog && w.skipped
	changed, err := s.codeDiff(ctx, before, w.tree)
	if err != nil {
		return false, err
	}
	count := o.state.CheckpointCount
	s.stepMade(ctx, o, snap, w, changed)
	o.state.CheckpointCount = count // task steps are not counted
	o.side.Turn.Partial = !o.side.Turn.Own
	return true, nil
}

// newestTask returns the running subagent that started last.
func (sd *side) newestTask() (name string, newest *taskMark) {
	for n, m := range sd.Tasks {
		if newest == nil || m.Began > newest.Began || m.Began == newest.Began && n > name {
			name, newest = n, m
		}
	}
	return name, newest
}

func (sd *side) nextTask() *taskMark {
	if _, newest := sd.newestTask(); newest != nil {
		return &taskMark{Began: newest.Began + 1}
	}
	return &taskMark{}
}

// taskFiles returns the files of the session's subagents since its last checkpoint, for its
// record in the next one.
func (s *ManualCommitStrategy) taskFiles(ctx context.Context, o *open) ([]git.Edit, error) {
	tree, err := s.tipTasks(ctx, o)
	if err != nil {
		return nil, err
	}
	if tree, err = s.withRunning(ctx, o, tree); err != nil {
		return nil, err
	}
	if tree, err = s.withQuiet(ctx, o, tree); err != nil || tree.IsZero() {
		return nil, err
	}
	return []git.Edit{{Path: "tasks", Mode: git.ModeTree, OID: tree}}, nil
}

// tipTasks returns the tree of tasks in the session's last step, zero for none.
func (s *ManualCommitStrategy) tipTasks(ctx context.Context, o *open) (git.OID, error) {
	if o.side.Tip.IsZero() {
		return git.OID{}, nil
	}
	rd := s.repo.Reader(ctx)
	tip, ok, err := rd.CommitOf(o.side.Tip.String())
	if err != nil || !ok {
		return git.OID{}, err
	}
	tasks, ok, err := rd.Path(tip.Tree, checkpoint.SessionDir(o.id)+"/tasks")
	if errors.Is(err, git.ErrMissing) || err == nil && (!ok || tasks.Mode != git.ModeTree) {
		return git.OID{}, nil
	}
	return tasks.OID, err
}

// marshal encodes JSON as it is stored in a task's folder: indented by two spaces, without a
// final newline.
func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		return nil, fmt.Errorf("write task record: %w", err)
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}
