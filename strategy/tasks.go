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
	"entire/internal/durable"
	"entire/internal/git"
	"entire/internal/redact"
)

// taskMark is a subagent at work.
type taskMark struct {
	Steps int `json:"steps"`           // incremental steps made so far
	Began int `json:"began,omitempty"` // after how many others of those at work
}

// taskStart notes that a subagent is at work.
func (s *ManualCommitStrategy) taskStart(ctx context.Context, ev agent.Event) error {
	return s.inSession(ctx, ev.SessionID, func(o *open) error {
		if o.side.Tasks == nil {
			o.side.Tasks = map[string]*taskMark{}
		}
		if o.side.Tasks[ev.ToolUseID] == nil {
			o.side.Tasks[ev.ToolUseID] = o.side.nextTask()
		}
		if !o.isNew {
			return nil
		}
		_, err := s.arrive(ctx, o, ev) // a session that never said it began
		return err
	})
}

// todo makes an incremental step inside a subagent's run, numbered so that
// none replaces another.
func (s *ManualCommitStrategy) todo(ctx context.Context, ev agent.Event) error {
	o, err := s.openSession(ctx, ev.SessionID)
	if err != nil {
		return err
	}
	defer o.close()
	task, mark := o.side.newestTask()
	if mark == nil {
		return nil // not in a subagent
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
	if log := s.subagentLog(ev); len(log) > 0 {
		files["agent-"+ev.AgentID+".jsonl"] = log
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
	return s.save(ctx, o)
}

// subagentLog is the subagent's own transcript, redacted.
func (s *ManualCommitStrategy) subagentLog(ev agent.Event) []byte {
	if ev.AgentID == "" {
		return nil
	}
	a := agent.For(ev.AgentType)
	for _, path := range a.SubagentTranscripts(ev.TranscriptPath, ev.SessionID, ev.AgentID) {
		if data, err := durable.Read(path, agent.MaxTranscript); err == nil {
			return redact.Lines(data)
		}
	}
	return nil
}

// taskStep saves the worktree and the task's files as a step. Without a change
// to any file since the last step there is none.
func (s *ManualCommitStrategy) taskStep(ctx context.Context, o *open, ev agent.Event, task, subject string, files map[string][]byte) (made bool, err error) {
	snap, err := s.arrive(ctx, o, ev)
	if err != nil {
		return false, err
	}
	if err := s.followHead(ctx, o, snap); err != nil {
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
	o.side.Turn.Partial = true
	return true, nil
}

// newestTask is the subagent that began last of those still at work.
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

// taskFiles are the files of the session's subagents since its last checkpoint,
// for its slot in the next.
func (s *ManualCommitStrategy) taskFiles(ctx context.Context, o *open) ([]git.Edit, error) {
	tree, err := s.tipTasks(ctx, o)
	if err != nil {
		return nil, err
	}
	if tree, err = s.withQuiet(ctx, o, tree); err != nil || tree.IsZero() {
		return nil, err
	}
	return []git.Edit{{Path: "tasks", Mode: git.ModeTree, OID: tree}}, nil
}

// tipTasks is the tree of tasks in the session's last step, zero for none.
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

// marshal is JSON as it reaches disk in a task's folder: two spaces, no final
// newline.
func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		return nil, fmt.Errorf("write task record: %w", err)
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}
