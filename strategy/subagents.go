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

// seenAgent is what a subagent's transcript of some size has used, and how much of
// it was looked through for calls of editing tools.
type seenAgent struct {
	Size  int64            `json:"size"`
	Usage agent.TokenUsage `json:"usage"`
	Calls int64            `json:"calls,omitempty"` // bytes
	Task  string           `json:"task,omitempty"`  // the tool call that began it
}

// subagentTotal is what all subagents of the conversation have used so far, by
// their own transcripts. One that is gone counts as it was last seen; one that
// has not grown is not read again.
func (s *ManualCommitStrategy) subagentTotal(o *open) agent.TokenUsage {
	t := o.side.Capture.Talk
	if t == nil {
		return agent.TokenUsage{}
	}
	a := agent.For(o.state.AgentType)
	for _, aid := range o.agentIDs() {
		found := func(path string) bool { return o.lookAtSubagent(a, aid, path) }
		if !slices.ContainsFunc(a.SubagentTranscripts(o.state.TranscriptPath, o.id, aid), found) {
			for _, f := range effects.Unknown().Files { // nobody knows what it did
				o.side.Capture.touched(f, max(o.side.Turns, 1))
			}
		}
	}
	return o.seenSubagents()
}

// seenSubagents is subagentTotal as it was when last looked at.
func (o *open) seenSubagents() agent.TokenUsage {
	var sum agent.TokenUsage
	for _, aid := range o.agentIDs() {
		sum = sum.Add(o.side.Agents[aid].Usage)
	}
	return sum
}

// agentIDs are the subagents that the conversation tells of, and those at work of which
// it does not yet.
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

// unreadSubagents passes on what subagents in the background have written that no event
// has read yet: a conversation and where in it that begins, nil for one that cannot be
// read. Nothing of it is kept.
func (o *open) unreadSubagents(each func(talk *agent.Conversation, since agent.Mark), line func([]byte)) {
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
		talk, since := agent.NewConversation(a.Type()), agent.Mark{}
		for l := range bytes.Lines(data) {
			if talk.AddLine(bytes.TrimSuffix(l, []byte("\n"))); from < o.heardOf(m.Agent) {
				since = talk.Mark()
			}
			if line != nil && from >= o.side.Agents[m.Agent].Calls {
				line(l)
			}
			from += int64(len(l))
		}
		each(talk, since)
	}
}

// heardOf is how much of a subagent's transcript was read before this event.
func (o *open) heardOf(aid string) int64 {
	if before, read := o.heard[aid]; read {
		return before
	}
	return o.side.Agents[aid].Calls
}

// endOf is the end of a transcript, as much of it as is read, and where that begins.
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

// witnessSubagents adds what the session's subagents are doing in the background.
func (s *ManualCommitStrategy) witnessSubagents(o *open, w *work) {
	if !o.side.inBackground() {
		return
	}
	for _, call := range o.side.Capture.Calls { // those that an event has read
		if rel, ok := s.relative(call.Path); ok && call.Turn == o.side.Turns {
			w.edited[rel], w.evidence = true, true
		}
	}
	o.unreadSubagents(func(talk *agent.Conversation, since agent.Mark) { s.hearSubagent(w, talk, since) }, nil)
}

// hearSubagent is hear for a subagent's conversation, nil for one that nobody can read.
func (s *ManualCommitStrategy) hearSubagent(w *work, talk *agent.Conversation, since agent.Mark) {
	if talk == nil {
		w.reach = w.reach.with(effects.Unknown().Files...)
		return
	}
	s.hear(w, talk, since)
}

// lookAtSubagent counts the subagent's transcript at path if it has grown, remembers
// what it did as the session's, and reports whether there is one.
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
		from = o.side.Agents[aid].Size // an older version has counted that, in whatever turn
	}
	talk := agent.Read(a.Type(), data)
	if _, again := o.heard[aid]; !again {
		if o.heard == nil {
			o.heard = map[string]int64{}
		}
		o.heard[aid] = from
	}
	o.side.Agents[aid] = seenAgent{int64(len(data)), talk.Usage(), o.noteSubagent(data, from), o.side.Agents[aid].Task}
	did, turn := &o.side.Capture.turnsOf, max(o.side.Turns, 1)
	for _, f := range talk.Touched {
		did.touched(f.Files, turn)
	}
	if talk.Took > 0 {
		did.Takes.add(turn)
	}
	if talk.Stayed > 0 && did.Stays == 0 {
		did.Stays = turn
	}
	return true
}

// noteSubagent remembers the calls of editing tools in a subagent's transcript from
// an offset on, and returns how far that went. What an offset beyond the end tells of
// was taken back.
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

// withSubagents adds a total of subagents to a usage, if there is any.
func withSubagents(u, sub agent.TokenUsage) agent.TokenUsage {
	if !sub.IsZero() {
		u.SubagentTokens = &sub
	}
	return u
}

// quietRef names a tree with the files of subagents that changed nothing in the
// worktree: no step holds them.
func quietRef(o *open) string { return "refs/entire/tasks/" + o.id.String() }

// keepQuiet keeps the files of such a subagent for the session's next
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

// withQuiet puts the files of quiet subagents into the tree of the others'.
func (s *ManualCommitStrategy) withQuiet(ctx context.Context, o *open, tasks git.OID) (git.OID, error) {
	if o.side.Quiet.IsZero() {
		return tasks, nil
	}
	files, err := s.repo.DiffTrees(ctx, git.OID{}, o.side.Quiet)
	if errors.Is(err, git.ErrMissing) {
		return tasks, nil // its ref was removed, and git has pruned it
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

// quietDone is the removal of their ref, to go with the transaction that stores
// them.
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
