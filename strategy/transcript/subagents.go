package transcript

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"slices"

	"entire/agent"
	"entire/agent/agents"
	"entire/agent/conversation"
	"entire/agent/document"
	"entire/internal/durable"
	"entire/internal/effects"
	"entire/internal/git"
	"entire/strategy/sessionstate"
)

// ReadSubagentUsage returns the tokens that all subagents of the conversation have used, by their
// transcripts. It reads only transcripts that have grown; for a missing one, it uses the last
// known number.
func ReadSubagentUsage(s *sessionstate.Env, o *sessionstate.LockedSession) agent.TokenUsage {
	t := o.Engine.Capture.Conversation
	if t == nil {
		return agent.TokenUsage{}
	}
	a := agents.For(o.State.AgentType)
	if a.Profile().SubagentsInside {
		return agent.TokenUsage{}
	}
	for _, aid := range subagentIDs(o) {
		found := func(path string) bool { return updateSubagent(o, a, aid, path) }
		if !slices.ContainsFunc(a.SubagentTranscripts(o.State.TranscriptPath, o.ID, aid), found) {
			for _, f := range effects.Unknown().Files { // without a transcript, it may have done anything
				notePattern(&o.Engine.Capture.ActivityLog, f, max(o.Engine.TurnNumber, 1))
			}
		}
	}
	return KnownSubagentUsage(o)
}

// KnownSubagentUsage returns the last known result of ReadSubagentUsage.
func KnownSubagentUsage(o *sessionstate.LockedSession) agent.TokenUsage {
	var sum agent.TokenUsage
	for _, aid := range subagentIDs(o) {
		sum = sum.Add(o.Engine.Subagents[aid].Usage)
	}
	return sum
}

// subagentIDs returns the subagents that the conversation names, and running ones that it does not
// name yet.
func subagentIDs(o *sessionstate.LockedSession) []string {
	var out []string
	if t := o.Engine.Capture.Conversation; t != nil {
		out = slices.Clone(t.AgentIDs)
	}
	for _, m := range o.Engine.Tasks {
		if m.Agent != "" && !slices.Contains(out, m.Agent) {
			out = append(out, m.Agent)
		}
	}
	return out
}

// ScanUnreadSubagents calls each with the conversation of every background subagent and the position
// after which no event has read it, and line with the unread lines. The conversation is nil if
// it cannot be read. Nothing is stored.
func ScanUnreadSubagents(o *sessionstate.LockedSession, each func(conversation *conversation.Conversation, since conversation.Mark), line func([]byte)) {
	a := agents.For(o.State.AgentType)
	if a.Profile().SubagentsInside {
		scanUnreadInside(o, each)
		return
	}
	for _, m := range o.Engine.Tasks {
		if m.Background {
			ScanUnreadSubagent(o, m.Agent, each, line)
		}
	}
}

// ScanUnreadSubagent is [ScanUnreadSubagents] for one subagent with a transcript of its own.
func ScanUnreadSubagent(o *sessionstate.LockedSession, aid string, each func(conversation *conversation.Conversation, since conversation.Mark), line func([]byte)) {
	a := agents.For(o.State.AgentType)
	paths := a.SubagentTranscripts(o.State.TranscriptPath, o.ID, aid)
	i := slices.IndexFunc(paths, sessionstate.PathExists)
	if i < 0 {
		each(nil, conversation.Mark{})
		return
	}
	data, from, err := readTranscriptTail(paths[i])
	if err != nil {
		each(nil, conversation.Mark{})
		return
	}
	conversation, since := conversation.NewConversation(a.Type()).In(o.Engine.Capture.Folder), conversation.Mark{}
	for l := range bytes.Lines(beforeAsOf(o, data)) {
		if conversation.AddLine(bytes.TrimSuffix(l, []byte("\n"))); from < subagentReadFrom(o, aid) {
			since = conversation.Mark()
		}
		if line != nil && from >= o.Engine.Subagents[aid].CallsReadTo {
			line(l)
		}
		from += int64(len(l))
	}
	each(conversation, since)
}

// scanUnreadInside is ScanUnreadSubagents for an agent whose subagents write into the session's
// transcript: what is unread there may be theirs.
func scanUnreadInside(o *sessionstate.LockedSession, each func(conversation *conversation.Conversation, since conversation.Mark)) {
	if !HasBackgroundTask(&o.Engine) {
		return
	}
	data, from, err := readTranscriptTail(o.State.TranscriptPath)
	if err != nil {
		each(nil, conversation.Mark{})
		return
	}
	unread := o.Engine.Capture.Offset
	if before, read := o.ReadBefore[""]; read {
		unread = before
	}
	read, since := conversation.NewConversation(o.State.AgentType).In(o.Engine.Capture.Folder), conversation.Mark{}
	for l := range bytes.Lines(beforeAsOf(o, data)) {
		if read.AddLine(bytes.TrimSuffix(l, []byte("\n"))); from < unread {
			since = read.Mark()
		}
		from += int64(len(l))
	}
	each(read, since)
}

// NoteReadBefore notes how far a transcript was read before this event: that of a subagent, or for ""
// that of the session.
func NoteReadBefore(o *sessionstate.LockedSession, aid string, offset int64) {
	if _, again := o.ReadBefore[aid]; again {
		return
	}
	if o.ReadBefore == nil {
		o.ReadBefore = map[string]int64{}
	}
	o.ReadBefore[aid] = offset
}

// subagentReadFrom returns how many bytes of a subagent's transcript were read before this event.
func subagentReadFrom(o *sessionstate.LockedSession, aid string) int64 {
	if before, read := o.ReadBefore[aid]; read {
		return before
	}
	return o.Engine.Subagents[aid].CallsReadTo
}

// readTranscriptTail returns the last liveTailBytes of a transcript and the offset where they begin.
func readTranscriptTail(path string) (data []byte, from int64, err error) {
	f, err := durable.Open(path)
	if err != nil {
		return nil, 0, err
	}
	defer f.Close()
	fi, err := f.Stat()
	if err != nil {
		return nil, 0, err
	}
	from = max(0, fi.Size()-liveTailBytes)
	data, err = io.ReadAll(io.NewSectionReader(f, from, liveTailBytes))
	return data, from, err
}

// updateSubagent reads the subagent's transcript at path if it has grown, records its calls as
// the session's, and reports whether the file exists.
func updateSubagent(o *sessionstate.LockedSession, a agent.Agent, aid, path string) bool {
	fi, err := os.Stat(path)
	if err != nil || !fi.Mode().IsRegular() {
		return false
	}
	if seen, ok := o.Engine.Subagents[aid]; ok && seen.Size == fi.Size() {
		return true
	}
	data, err := durable.Read(path, agent.MaxTranscript)
	if err != nil {
		return false
	}
	if o.Engine.Subagents == nil {
		o.Engine.Subagents = map[string]sessionstate.SubagentState{}
	}
	from := o.Engine.Subagents[aid].CallsReadTo
	if from == 0 {
		from = o.Engine.Subagents[aid].Size // an older version has counted these bytes without recording the turn
	}
	conversation := conversation.Read(a.Type(), data)
	if u, known := usageBeside(a.Type(), path); known {
		conversation.SetTotal(u)
	}
	NoteReadBefore(o, aid, from)
	o.Engine.Subagents[aid] = sessionstate.SubagentState{Size: int64(len(data)), Usage: conversation.Usage(), CallsReadTo: recordSubagentCalls(o, data, from), Task: o.Engine.Subagents[aid].Task}
	did, turn := &o.Engine.Capture.ActivityLog, max(o.Engine.TurnNumber, 1)
	for _, f := range conversation.Touched {
		notePattern(did, f.Files, turn)
	}
	if conversation.ImportedAt > 0 {
		add(&did.Imports, turn)
	}
	if conversation.OutlivedAt > 0 && did.LastingFrom == 0 {
		did.LastingFrom = turn
	}
	return true
}

// recordSubagentCalls records the edit calls in a subagent's transcript after offset from and returns
// the offset it has reached. If from is beyond the end, a rewind has cut the transcript.
func recordSubagentCalls(o *sessionstate.LockedSession, data []byte, from int64) int64 {
	end := int64(bytes.LastIndexByte(data, '\n') + 1)
	if from >= end || document.Is(data) {
		return min(from, end)
	}
	for line := range bytes.Lines(data[from:end]) {
		noteCalls(&o.Engine.Capture, line)
	}
	assignTurnToNew(o)
	return end
}

// AddSubagentUsage adds the tokens of subagents to a usage, unless they are zero.
func AddSubagentUsage(u, sub agent.TokenUsage) agent.TokenUsage {
	if !sub.IsZero() {
		u.SubagentTokens = &sub
	}
	return u
}

// tasksWithoutStepRef is the ref of a tree with the files of subagents that changed nothing in the
// worktree, so that no step holds these files.
func tasksWithoutStepRef(o *sessionstate.LockedSession) string {
	return "refs/entire/tasks/" + o.ID.String()
}

// KeepTaskWithoutStep keeps the files of a subagent that changed nothing, for the session's next
// checkpoint.
func KeepTaskWithoutStep(ctx context.Context, s *sessionstate.Env, o *sessionstate.LockedSession, task string, files map[string][]byte) error {
	var edits []git.Edit
	for name, data := range files {
		oid, err := s.Repo.Conversation(o.ID.String()).Blob(data)
		if err != nil {
			return err
		}
		edits = append(edits, git.Edit{Path: task + "/" + name, Mode: git.ModeFile, OID: oid})
	}
	old, _, err := s.Repo.Ref(ctx, tasksWithoutStepRef(o))
	if err != nil {
		return err
	}
	tree, err := s.Repo.EditTree(ctx, old, edits)
	if err != nil || tree == old {
		return err
	}
	if err := s.Repo.UpdateRefs(ctx, []git.RefUpdate{{Name: tasksWithoutStepRef(o), New: tree, Old: old}}); err != nil {
		return err
	}
	o.Engine.TasksWithoutStep = tree
	return nil
}

// AddTasksWithoutStep adds the files of subagents that changed nothing to the tree of tasks.
func AddTasksWithoutStep(ctx context.Context, s *sessionstate.Env, o *sessionstate.LockedSession, tasks git.OID) (git.OID, error) {
	if o.Engine.TasksWithoutStep.IsZero() {
		return tasks, nil
	}
	files, err := s.Repo.DiffTrees(ctx, git.OID{}, o.Engine.TasksWithoutStep)
	if errors.Is(err, git.ErrMissing) {
		return tasks, nil // the ref was deleted, and git has pruned the tree
	}
	if err != nil {
		return tasks, err
	}
	var edits []git.Edit
	for _, f := range files {
		edits = append(edits, git.Edit{Path: f.Path, Mode: f.NewMode, OID: f.New})
	}
	return s.Repo.EditTree(ctx, tasks, edits)
}

// RemoveTasksWithoutStep returns the deletion of the ref, to be done in the transaction that stores its
// files.
func RemoveTasksWithoutStep(ctx context.Context, s *sessionstate.Env, o *sessionstate.LockedSession) ([]git.RefUpdate, error) {
	if o.Engine.TasksWithoutStep.IsZero() {
		return nil, nil
	}
	oid, ok, err := s.Repo.Ref(ctx, tasksWithoutStepRef(o))
	if err != nil || !ok {
		return nil, err
	}
	return []git.RefUpdate{{Name: tasksWithoutStepRef(o), Old: oid}}, nil
}
