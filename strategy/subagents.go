package strategy

import (
	"bytes"
	"context"
	"errors"
	"os"
	"slices"

	"entire/agent"
	"entire/internal/durable"
	"entire/internal/git"
)

// seenAgent is what a subagent's transcript of some size has used, and how much of
// it was looked through for calls of editing tools.
type seenAgent struct {
	Size  int64            `json:"size"`
	Usage agent.TokenUsage `json:"usage"`
	Calls int64            `json:"calls,omitempty"` // bytes
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
	for _, aid := range t.AgentIDs {
		found := func(path string) bool { return o.lookAtSubagent(a, aid, path) }
		if !slices.ContainsFunc(a.SubagentTranscripts(o.state.TranscriptPath, o.id, aid), found) {
			o.side.Capture.Writes.add(max(o.side.Turns, 1)) // nobody knows what it did
		}
	}
	return o.seenSubagents()
}

// seenSubagents is subagentTotal as it was when last looked at.
func (o *open) seenSubagents() agent.TokenUsage {
	var sum agent.TokenUsage
	if t := o.side.Capture.Talk; t != nil {
		for _, aid := range t.AgentIDs {
			sum = sum.Add(o.side.Agents[aid].Usage)
		}
	}
	return sum
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
	o.side.Agents[aid] = seenAgent{int64(len(data)), talk.Usage(), o.noteSubagent(data, from)}
	did, turn := &o.side.Capture.turnsOf, max(o.side.Turns, 1)
	for _, of := range []struct {
		turns *callTurns
		last  int
	}{{&did.Shells, talk.LastShell()}, {&did.Writes, talk.Wrote}, {&did.Takes, talk.Took}} {
		if of.last > 0 {
			of.turns.add(turn)
		}
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
