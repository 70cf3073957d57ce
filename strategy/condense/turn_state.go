package condense

import (
	"context"
	"errors"
	"fmt"
	"time"

	"entire/agent"
	"entire/agent/agents"
	"entire/checkpoint/shadow"
	"entire/id"
	"entire/internal/durable"
	"entire/internal/git"
	"entire/internal/redact"
	"entire/session"
	"entire/strategy/githead"
	"entire/strategy/sessionstate"
	"entire/strategy/transcript"
	"entire/strategy/worktree"
)

// ReadTranscript brings the session's stored transcript up to date. It returns ErrDeadline when
// reading took too long, and again for the rest of the event.
func ReadTranscript(ctx context.Context, s *sessionstate.Env, o *sessionstate.LockedSession) error {
	if o.NoTimeForTranscript {
		return transcript.ErrDeadline
	}
	transcript.RejoinTranscript(s, o)
	o.Engine.Capture.TurnStart, o.Engine.Capture.TurnPrompt = &o.Engine.TurnStart, agent.CleanPrompt(o.Engine.Prompt)
	reading, cancel := WithReadLimit(ctx, s, s.ReadWithin/2)
	defer cancel()
	transcript.NoteReadBefore(o, "", o.Engine.Capture.Offset)
	err := transcript.IngestTranscript(s, ctx, reading, &o.Engine.Capture, o.State.AgentType, o.State.TranscriptPath, transcript.KeepBacklog(ctx, s, o))
	moveStartToPrompt(o)
	transcript.TakeHookCalls(s, o)
	transcript.AssignTurns(o)
	o.NoTimeForTranscript = errors.Is(err, transcript.ErrDeadline)
	o.Engine.TranscriptLate = o.NoTimeForTranscript
	return err
}

// moveStartToPrompt moves the start of the turn to its prompt, for an agent that rewrites its whole
// transcript each time. What stands before the prompt belongs to earlier turns, even if the file
// lacked it when the turn began.
func moveStartToPrompt(o *sessionstate.LockedSession) {
	c := &o.Engine.Capture
	if c.DocumentSum == "" || c.Conversation == nil || o.Engine.Prompt == "" {
		return
	}
	if n, ok := c.Conversation.ItemOfPrompt(o.Engine.TurnStart.ConversationMark, agent.CleanPrompt(o.Engine.Prompt)); ok {
		o.Engine.TurnStart.TranscriptLines, o.Engine.TurnStart.ConversationMark.Items = max(o.Engine.TurnStart.TranscriptLines, n), max(o.Engine.TurnStart.ConversationMark.Items, n)
	}
}

// TurnStartTree returns the tree of the worktree at the moment that the turn's start names.
func TurnStartTree(ctx context.Context, s *sessionstate.Env, m sessionstate.TurnStart, head git.OID) (git.OID, error) {
	if !m.Step.IsZero() {
		if c, ok, err := s.Repo.Reader(ctx).CommitOf(m.Step.String()); err != nil || ok {
			return c.Tree, err
		}
	}
	if m.Seen {
		head = m.Head
	} else if tip, ok, err := s.Repo.Reader(ctx).CommitOf(worktree.ShadowRef(s, head)); err != nil || ok {
		return tip.Tree, err // no event told when the turn began: the last step came before it
	}
	return worktree.HeadTree(ctx, s, head)
}

// addRunningTasks adds the transcripts of running background subagents to a tree of tasks.
func addRunningTasks(ctx context.Context, s *sessionstate.Env, o *sessionstate.LockedSession, tasks git.OID) (git.OID, error) {
	var edits []git.Edit
	for task, m := range o.Engine.Tasks {
		log := SubagentLog(agents.For(o.State.AgentType), o.State.TranscriptPath, o.ID, m.Agent)
		if !m.Background || len(log) == 0 {
			continue
		}
		oid, err := s.Repo.Sealed(o.ID.String()).Blob(log)
		if err != nil {
			return tasks, err
		}
		edits = append(edits, git.Edit{Path: task + "/" + SubagentLogName(m.Agent), Mode: git.ModeFile, OID: oid})
	}
	if len(edits) == 0 {
		return tasks, nil
	}
	return s.Repo.EditTree(ctx, tasks, edits)
}

// WithReadLimit returns a context that ends after limit in a hook, which has a deadline, so that there is
// time left to save what was read. Elsewhere it returns ctx.
func WithReadLimit(ctx context.Context, s *sessionstate.Env, limit time.Duration) (context.Context, context.CancelFunc) {
	if _, limited := ctx.Deadline(); !limited || s.Auto || s.ReadWithin == 0 {
		return ctx, func() {}
	}
	return context.WithTimeout(ctx, limit)
}

// Transition changes a session's phase, and what the state says with it.
func Transition(s *sessionstate.Env, o *sessionstate.LockedSession, ev session.EventKind) {
	in := session.TransitionContext{HasFilesTouched: len(o.State.FilesTouched) > 0}
	// The callers carry out the other actions of a transition.
	o.State.Apply(session.Transition(o.State.Phase, ev, in), s.Now())
}

// originalStartAfter returns the value of Began after a commit in the turn. If the commit's parent is not the
// commit that the turn began on, the worktree may hold files of the turn's start that are not in
// what is carried forward.
func originalStartAfter(m sessionstate.TurnStart, cm githead.MadeCommit) (began git.OID) {
	if m.OriginalStart.IsZero() && m.Head == cm.Parent {
		return git.OID{}
	}
	return m.StartCommit()
}

// RestoreConversationTo restores the conversation at a mark: the agent's files byte for byte, if they or files
// kept of them still hold it, and the stored conversation. It keeps the replaced files and is
// idempotent. It returns warnings for the user.
func RestoreConversationTo(ctx context.Context, s *sessionstate.Env, o *sessionstate.LockedSession, m transcript.ConversationMark) []string {
	if m.IsZero() {
		return nil
	}
	left := o.Engine.Capture.Conversation
	var warnings []string
	for _, at := range m.Subagents {
		if err := at.Restore(); err != nil {
			warnings = append(warnings, fmt.Sprintf("a subagent's conversation was not taken along: %v", err))
		}
	}
	if err := transcript.MoveTranscript(ctx, s, o, m.Main.Restore); err != nil {
		return append(warnings, fmt.Sprintf("the conversation was not taken along: %v", err))
	}
	if m.Main.Sum != "" && m.Main.Size == 0 {
		transcript.ReplaceWith(&o.Engine.Capture, sessionstate.TranscriptState{})
	}
	if err := ReadTranscript(ctx, s, o); err != nil {
		warnings = append(warnings, fmt.Sprintf("the conversation will be read at the agent's next turn: %v", err))
	}
	transcript.SkipRead(&o.Engine.Capture.ActivityLog, o.Engine.Capture.Conversation) // these calls were recorded when they were first read
	// A later checkpoint may hold more of what both conversations share.
	if n := o.Engine.CondensedMark.Items; n <= m.Condensed.Items || !left.Shares(o.Engine.Capture.Conversation, n) {
		o.Engine.CondensedMark, o.Engine.CondensedSubagents, o.State.CheckpointTranscriptStart = m.Condensed, m.CondensedSubagents, m.TranscriptStart
	}
	o.Engine.Chunks = max(o.Engine.Chunks, len(o.Engine.Capture.Log.Entries()))
	transcript.ClampCondensed(o)
	if t := o.Engine.Capture.Conversation; t != nil {
		o.Engine.TurnStart.ConversationMark = t.Mark()
	}
	return warnings
}

// SubagentLogName returns the name of a subagent's transcript among the stored files of its session.
func SubagentLogName(aid string) string { return "agent-" + aid + ".jsonl" }

// SubagentLog returns the subagent's own transcript, redacted.
func SubagentLog(a agent.Agent, transcript string, sid id.SessionID, aid string) []byte {
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

// taskFiles returns the files of the session's subagents since its last checkpoint, for its
// record in the next one.
func taskFiles(ctx context.Context, s *sessionstate.Env, o *sessionstate.LockedSession) ([]git.Edit, error) {
	tree, err := lastStepTasks(ctx, s, o)
	if err != nil {
		return nil, err
	}
	if tree, err = addRunningTasks(ctx, s, o, tree); err != nil {
		return nil, err
	}
	if tree, err = transcript.AddTasksWithoutStep(ctx, s, o, tree); err != nil || tree.IsZero() {
		return nil, err
	}
	return []git.Edit{{Path: "tasks", Mode: git.ModeTree, OID: tree}}, nil
}

// lastStepTasks returns the tree of tasks in the session's last step, zero for none.
func lastStepTasks(ctx context.Context, s *sessionstate.Env, o *sessionstate.LockedSession) (git.OID, error) {
	if o.Engine.LastStep.IsZero() {
		return git.OID{}, nil
	}
	rd := s.Repo.Reader(ctx)
	tip, ok, err := rd.CommitOf(o.Engine.LastStep.String())
	if err != nil || !ok {
		return git.OID{}, err
	}
	tasks, ok, err := rd.Path(tip.Tree, shadow.SessionDir(o.ID)+"/tasks")
	if errors.Is(err, git.ErrMissing) || err == nil && (!ok || tasks.Mode != git.ModeTree) {
		return git.OID{}, nil
	}
	return tasks.OID, err
}
