package strategy

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"slices"

	"entire/agent"
	"entire/internal/durable"
	"entire/internal/effects"
	"entire/internal/git"
)

// seenAgent is what was read of a subagent's transcript: its size, the tokens it counts, and how
// far it was searched for edit calls.
type seenAgent struct {
	Size  int64            `json:"size"`
	Usage agent.TokenUsage `json:"usage"`
	Calls int64            `json:"calls,omitempty"` // bytes
	Task  string           `json:"task,omitempty"`  // the tool call that started the subagent
}

// subagentTotal returns the tokens that all subagents of the conversation have used, by their
// transcripts. It reads only transcripts that have grown; for a missing one, it uses the last
// known number.
func (s *ManualCommitStrategy) subagentTotal(o *open) agent.TokenUsage {
	t := o.side.Capture.Talk
	if t == nil {
		return agent.TokenUsage{}
	}
	a := agent.For(o.state.AgentType)
	for _, aid := range o.agentIDs() {
		found := func(path string) bool { return o.lookAtSubagent(a, aid, path) }
		if !slices.ContainsFunc(a.SubagentTranscripts(o.state.TranscriptPath, o.id, aid), found) {
			for _, f := range effects.Unknown().Files { // without a transcript, it may have done anything
				o.side.Capture.touched(f, max(o.side.Turns, 1))
			}
		}
	}
	return o.seenSubagents()
}

// seenSubagents returns the last known result of subagentTotal.
func (o *open) seenSubagents() agent.TokenUsage {
	var sum agent.TokenUsage
	for _, aid := range o.agentIDs() {
		sum = sum.Add(o.side.Agents[aid].Usage)
	}
	return sum
}

// agentIDs returns the subagents that the conversation names, and running ones that it does not
// name yet.
func (o *open) agentIDs() []string {
	var out []string
	if t := o.side.Capture.Talk; t != nil {
		out = slices.Clone(t.AgentIDs)
	}
	for _, m := range o.side.Tasks {
		if m.Agent != "" && !slices.Contains(out, m.Agent) {
			out = append(out, m.Agent)
		}
	}
	return out
}

// unreadSubagents calls each with the conversation of every background subagent and the position
// after which no event has read it, and line with the unread lines. The conversation is nil if
// it cannot be read. Nothing is stored.
func (o *open) unreadSubagents(each func(conversation *agent.Conversation, since agent.Mark), line func([]byte)) {
	a := agent.For(o.state.AgentType)
	for _, m := range o.side.Tasks {
		if !m.Background {
			continue
		}
		paths := a.SubagentTranscripts(o.state.TranscriptPath, o.id, m.Agent)
		i := slices.IndexFunc(paths, exists)
		if i < 0 {
			each(nil, agent.Mark{})
			continue
		}
		data, from, err := endOf(paths[i])
		if err != nil {
			each(nil, agent.Mark{})
			continue
		}
		conversation, since := agent.NewConversation(a.Type()), agent.Mark{}
		for l := range bytes.Lines(data) {
			if conversation.AddLine(bytes.TrimSuffix(l, []byte("\n"))); from < o.heardOf(m.Agent) {
				since = conversation.Mark()
			}
			if line != nil && from >= o.side.Agents[m.Agent].Calls {
				line(l)
			}
			from += int64(len(l))
		}
		each(conversation, since)
	}
}

// heardOf returns how many bytes of a subagent's transcript were read before this event.
func (o *open) heardOf(aid string) int64 {
	if before, read := o.heard[aid]; read {
		return before
	}
	return o.side.Agents[aid].Calls
}

// endOf returns the last evidenceBytes of a transcript and the offset where they begin.
func endOf(path string) (data []byte, from int64, err error) {
	f, err := durable.Open(path)
	if err != nil {
		return nil, 0, err
	}
	defer f.Close()
	fi, err := f.Stat()
	if err != nil {
		return nil, 0, err
	}
	from = max(0, fi.Size()-evidenceBytes)
	data, err = io.ReadAll(io.NewSectionReader(f, from, evidenceBytes))
	return data, from, err
}

// witnessSubagents adds to w what the session's background subagents are doing.
func (s *ManualCommitStrategy) witnessSubagents(o *open, w *work) {
	if !o.side.inBackground() {
		return
	}
	for _, call := range o.side.Capture.Calls { // calls that an event has read
		if rel, ok := s.relative(call.Path); ok && call.Turn == o.side.Turns {
			w.edited[rel], w.evidence = true, true
		}
	}
	o.unreadSubagents(func(conversation *agent.Conversation, since agent.Mark) { s.hearSubagent(w, conversation, since) }, nil)
}

// hearSubagent adds a subagent's conversation to w. If it cannot be read (nil), the subagent may
// have done anything.
func (s *ManualCommitStrategy) hearSubagent(w *work, conversation *agent.Conversation, since agent.Mark) {
	if conversation == nil {
		w.reach = w.reach.with(effects.Unknown().Files...)
		return
	}
	s.hear(w, conversation, since)
}

// lookAtSubagent reads the subagent's transcript at path if it has grown, records its calls as
// the session's, and reports whether the file exists.
func (o *open) lookAtSubagent(a agent.Agent, aid, path string) bool {
	fi, err := os.Stat(path)
	if err != nil || !fi.Mode().IsRegular() {
		return false
	}
	if seen, ok := o.side.Agents[aid]; ok && seen.Size == fi.Size() {
		return true
	}
	data, err := durable.Read(path, agent.MaxTranscript)
	if err != nil {
		return false
	}
	if o.side.Agents == nil {
		o.side.Agents = map[string]seenAgent{}
	}
	from := o.side.Agents[aid].Calls
	if from == 0 {
		from = o.side.Agents[aid].Size // an older version has counted these bytes without recording the turn
	}
	conversation := agent.Read(a.Type(), data)
	if _, again := o.heard[aid]; !again {
		if o.heard == nil {
			o.heard = map[string]int64{}
		}
		o.heard[aid] = from
	}
	o.side.Agents[aid] = seenAgent{int64(len(data)), conversation.Usage(), o.noteSubagent(data, from), o.side.Agents[aid].Task}
	did, turn := &o.side.Capture.turnsOf, max(o.side.Turns, 1)
	for _, f := range conversation.Touched {
		did.touched(f.Files, turn)
	}
	if conversation.Took > 0 {
		did.Takes.add(turn)
	}
	if conversation.Stayed > 0 && did.Stays == 0 {
		did.Stays = turn
	}
	return true
}

// noteSubagent records the edit calls in a subagent's transcript after offset from and returns
// the offset it has reached. If from is beyond the end, a rewind has cut the transcript.
func (o *open) noteSubagent(data []byte, from int64) int64 {
	end := int64(bytes.LastIndexByte(data, '\n') + 1)
	if from >= end || agent.IsDocument(data) {
		return min(from, end)
	}
	for line := range bytes.Lines(data[from:end]) {
		o.side.Capture.noteCalls(line)
	}
	o.numberFresh()
	return end
}

// withSubagents adds the tokens of subagents to a usage, unless they are zero.
func withSubagents(u, sub agent.TokenUsage) agent.TokenUsage {
	if !sub.IsZero() {
		u.SubagentTokens = &sub
	}
	return u
}

// quietRef is the ref of a tree with the files of subagents that changed nothing in the
// worktree, so that no step holds these files.
func quietRef(o *open) string { return "refs/entire/tasks/" + o.id.String() }

// keepQuiet keeps the files of a subagent that changed nothing, for the session's next
// checkpoint.
func (s *ManualCommitStrategy) keepQuiet(ctx context.Context, o *open, task string, files map[string][]byte) error {
	var edits []git.Edit
	for name, data := range files {
		oid, err := s.repo.Writer().Blob(data)
		if err != nil {
			return err
		}
		edits = append(edits, git.Edit{Path: task + "/" + name, Mode: git.ModeFile, OID: oid})
	}
	old, _, err := s.repo.Ref(ctx, quietRef(o))
	if err != nil {
		return err
	}
	tree, err := s.repo.EditTree(ctx, old, edits)
	if err != nil || tree == old {
		return err
	}
	if err := s.repo.UpdateRefs(ctx, []git.RefUpdate{{Name: quietRef(o), New: tree, Old: old}}); err != nil {
		return err
	}
	o.side.Quiet = tree
	return nil
}

// withQuiet adds the files of subagents that changed nothing to the tree of tasks.
func (s *ManualCommitStrategy) withQuiet(ctx context.Context, o *open, tasks git.OID) (git.OID, error) {
	if o.side.Quiet.IsZero() {
		return tasks, nil
	}
	files, err := s.repo.DiffTrees(ctx, git.OID{}, o.side.Quiet)
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
	return s.repo.EditTree(ctx, tasks, edits)
}

// quietDone returns the deletion of the ref, to be done in the transaction that stores its
// files.
func (s *ManualCommitStrategy) quietDone(ctx context.Context, o *open) ([]git.RefUpdate, error) {
	if o.side.Quiet.IsZero() {
		return nil, nil
	}
	oid, ok, err := s.repo.Ref(ctx, quietRef(o))
	if err != nil || !ok {
		return nil, err
	}
	return []git.RefUpdate{{Name: quietRef(o), Old: oid}}, nil
}
