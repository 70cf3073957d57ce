package sessionstate

import (
	"encoding/json"
	"time"

	"entire/agent"
	"entire/agent/conversation"
	"entire/checkpoint/chunk"
	"entire/id"
	"entire/internal/attribution"
	"entire/internal/effects"
	"entire/internal/git"
)

// TurnPrompts returns the prompts of the turn, from the transcript or, where the transcript lacks
// them, from the hook. The prompt of the next turn, which the transcript may hold already, is
// left out.
func (s *Env) TurnPrompts(o *LockedSession) []string {
	if t := o.Engine.Capture.Conversation; t != nil {
		p := t.PromptsSince(o.Engine.TurnStart.ConversationMark)
		if len(p) > 0 && LastString(p) == agent.CleanPrompt(o.NextPrompt) {
			p = p[:len(p)-1]
		}
		if len(p) > 0 {
			return p
		}
	}
	if p := agent.CleanPrompt(o.Engine.Prompt); p != "" {
		return []string{p}
	}
	return nil
}

// LastString returns the last string of a list, "" for an empty list.
func LastString(list []string) string {
	if len(list) == 0 {
		return ""
	}
	return list[len(list)-1]
}

// TurnPrompt is the key of the prompt that began a turn, without its text; see [agent.PromptKey].
type TurnPrompt struct {
	Turn   int    `json:"turn"`
	Prompt string `json:"prompt"`
}

// EditCall is an edit call with the prints of the lines that it wrote, also as a formatter left them.
type EditCall struct {
	ID    string             `json:"id"`
	Path  string             `json:"path"` // as the agent named it
	Turn  int                `json:"turn,omitempty"`
	Model string             `json:"model,omitempty"`
	Lines attribution.Prints `json:"lines"`
	Exact bool               `json:"sure,omitempty"` // the lines hold nothing that the file had before
	Texts []string           `json:"-"`              // what it wrote, until the lines that a formatter made of it are added
}

// CallTurns are the turns of a session that have calls of one kind.
type CallTurns struct {
	Turns  []int `json:"turns,omitempty"`
	ReadTo int   `json:"heard,omitempty"` // the transcript's line of the last counted call
}

// ActivityLog are the turns by what a session did in them. A turn that is not in Told may have calls
// that the transcript does not show.
type ActivityLog struct {
	Writes      CallTurns     `json:"writes,omitzero"` // calls that may have written anything, as older versions recorded
	Imports     CallTurns     `json:"takes,omitzero"`  // calls that may have imported foreign content
	Complete    CallTurns     `json:"told,omitzero"`   // all tool calls are recorded
	Called      CallTurns     `json:"called,omitzero"` // any call
	Files       []TurnPattern `json:"files,omitempty"` // files that calls may have written and no edit tool named
	ReadTo      int           `json:"heard,omitempty"` // the transcript's line up to which Files were counted
	LastingFrom int           `json:"stays,omitempty"` // first turn with a call that may have gone on in later turns, 0 for none
}

// LateFiles are files that a step left out because the time to read them had run out. They changed
// before the step was made, so they belong to the author of that step. The session's next event
// reads them.
type LateFiles struct {
	Count      int   `json:"count"`
	Until      int64 `json:"until"`            // when the last of them changed, in nanoseconds
	BeforeTurn bool  `json:"people,omitempty"` // they changed before the turn began
}

// Rare fields of a file that every hook reads implement MarshalJSON, so that encoding/json does not
// build its tables for their types when a hook first uses the file: a hook's first use is its only
// one.

func (c TranscriptCut) MarshalJSON() ([]byte, error) {
	type plain TranscriptCut
	return json.Marshal(plain(c))
}

func (a SubagentState) MarshalJSON() ([]byte, error) {
	type plain SubagentState
	return json.Marshal(plain(a))
}

func (m RunningTask) MarshalJSON() ([]byte, error) {
	type plain RunningTask
	return json.Marshal(plain(m))
}

func (c UnlinkedCommit) MarshalJSON() ([]byte, error) {
	type plain UnlinkedCommit
	return json.Marshal(plain(c))
}

func (c UndecidedCommit) MarshalJSON() ([]byte, error) {
	type plain UndecidedCommit
	return json.Marshal(plain(c))
}

func (a autoState) MarshalJSON() ([]byte, error) {
	type plain autoState
	return json.Marshal(plain(a))
}

// TurnPattern is a pattern for files that calls of a turn may have written.
type TurnPattern struct {
	effects.Files
	Turn int `json:"turn"`
}

// SubagentState is what was read of a subagent's transcript: its size, the tokens it counts, and how
// far it was searched for edit calls.
type SubagentState struct {
	Size        int64            `json:"size"`
	Usage       agent.TokenUsage `json:"usage"`
	CallsReadTo int64            `json:"calls,omitempty"` // bytes
	Task        string           `json:"task,omitempty"`  // the tool call that started the subagent
}

// This file handles an agent that was running while a rewind cut its conversation. The agent
// continues with the conversation in its memory; its new lines are joined to the whole one.

// TranscriptCut describes a replaced transcript while the agent has not yet shown whether it has read
// the new one.
type TranscriptCut struct {
	Size     int64  `json:"size"` // of the new transcript
	Kept     string `json:"kept"` // path of the replaced one
	KeptSize int64  `json:"was"`  // size of the replaced one
}

// RunningTask is a running subagent.
type RunningTask struct {
	Steps int `json:"steps"`           // incremental steps made so far
	Order int `json:"began,omitempty"` // order of the start among the running ones

	// Agent is the subagent's ID if it is known. Background is true if it runs on after the call
	// that started it. Type and Description come from the event of its start.
	Agent       string `json:"agent,omitempty"`
	Background  bool   `json:"background,omitempty"`
	Type        string `json:"type,omitempty"`
	Description string `json:"description,omitempty"`
}

// TranscriptState says how much of a session's transcript has been read, redacted and stored.
type TranscriptState struct {
	Path         string                     `json:"path,omitempty"`
	Offset       int64                      `json:"offset"`          // raw bytes read, up to the end of a line
	RawHash      []byte                     `json:"raw,omitempty"`   // state of a SHA-256 over them
	EdgeDigest   string                     `json:"edges,omitempty"` // digest of their first and last bytes
	DocumentSum  string                     `json:"doc,omitempty"`   // SHA-256 of a transcript that is one document
	Log          chunk.Log                  `json:"log,omitzero"`
	Conversation *conversation.Conversation `json:"talk,omitempty"`
	Folder       string                     `json:"folder,omitempty"` // in which the agent works, below the worktree's top; "" for the top
	Calls        []EditCall                 `json:"calls,omitempty"`  // edit calls, oldest first
	Told         agent.ToldUsage            `json:"tokens,omitzero"`  // what events told, for an agent whose transcript has no tokens
	SlowLine     *int64                     `json:"slow,omitempty"`   // offset of the line that the last reading had no time for
	ActivityLog

	DocumentIDs []string   `json:"-"` // set by a rewind to a step with a document: the IDs of its messages
	TurnStart   *TurnStart `json:"-"` // set until its start is found in the transcript; nil for none

	TurnPrompt string `json:"-"` // prompt of that turn, which may come before or after its start
}

// UnlinkedCommit is a commit that holds a session's work without a checkpoint of it: it has no trailer, or its
// checkpoint is older, since an amend ran no hooks.
type UnlinkedCommit struct {
	Commit  git.OID `json:"commit"`
	Files   int     `json:"files"`
	Amended bool    `json:"amended,omitempty"` // it has the trailer of the commit that it replaced
}

// UndecidedCommit is a commit without a link, made in the middle of a turn whose transcript did not show yet what
// the agent had done. A later event decides about it, by what the transcript has of the time before it.
type UndecidedCommit struct {
	Commit git.OID   `json:"commit"`
	Made   time.Time `json:"made"` // when post-commit ran
	Turn   int       `json:"turn"`
	// Base, Steps and Start are the session's base, the tip of its shadow branch (zero for none) and the start of its
	// turn at that time.
	Base  git.OID   `json:"base,omitzero"`
	Steps git.OID   `json:"steps,omitzero"`
	Start TurnStart `json:"start"`
	// Shown is how far the transcript was read, in bytes, when it was last asked about the commit and proved nothing.
	Shown int64 `json:"shown,omitempty"`
}

// WaitingLines are lines of a file in a checkpoint that an open turn may have written. They are the
// agent's if it reports the end of the turn, and stay unknown if the turn was interrupted before the agent reported
// work after the commit.
type WaitingLines struct {
	Checkpoint id.CheckpointID `json:"checkpoint"`
	Path       string          `json:"path"` // as in the record
	Turn       int             `json:"turn"`
	Noted      int64           `json:"noted,omitempty"`     // when, in milliseconds since 1970: after the commit
	IfCalled   bool            `json:"if_called,omitempty"` // only those that a call of the turn wrote
	Runs       []LineRun       `json:"runs"`
}

// A LineRun is a run of lines, counted from 1.
type LineRun struct {
	Start int `json:"start"`
	Count int `json:"count"`
}

// Add adds a line after all others.
func (w *WaitingLines) Add(line int) {
	if k := len(w.Runs) - 1; k >= 0 && w.Runs[k].Start+w.Runs[k].Count == line {
		w.Runs[k].Count++
		return
	}
	w.Runs = append(w.Runs, LineRun{line, 1})
}

// WaitingRuns returns the number of runs of lines that wait for the end of the turn.
func (e *EngineState) WaitingRuns() (n int) {
	for _, w := range e.WaitingLines {
		n += len(w.Runs)
	}
	return n
}
