package conversation

import (
	"path/filepath"
	"slices"
	"strings"

	"entire/agent"
	"entire/agent/agents"
	"entire/internal/effects"
)

const maxCommand = 200

const maxPath = 4 << 10

const MaxOpen = 64 // messages and tool calls that may still change

const MaxEdits = 500 // files

const maxAgents = 500

const maxTouched = 500

const maxModels = 32

// Conversation is the summary of a transcript's lines so far. It takes one line at a time
// and can be stored as JSON between any two lines without a difference. If the lines are
// redacted, so is everything that it holds. Its size is bounded except for the prompts,
// which Forget drops.
type Conversation struct {
	Agent agent.AgentType `json:"agent"`
	// Lines counts every line, Malformed those that could not be read.
	Lines     int `json:"lines"`
	Malformed int `json:"malformed,omitempty"`

	// Prompts are the user's prompts, oldest first, without the first Forgotten.
	Prompts   []string `json:"prompts,omitempty"`
	Forgotten int      `json:"forgotten,omitempty"`
	// LastUUID is the last UUID of any line; LastAssistant holds the first 4 kB of the
	// agent's last text; LastTime is the last timestamp, as written.
	LastUUID      string `json:"last_uuid,omitempty"`
	LastAssistant string `json:"last_assistant,omitempty"`
	LastTime      string `json:"last_time,omitempty"`
	// LastWork is the timestamp of the last answer of the model, or result of a call, since the last prompt, PriorWork
	// that of the last one before that prompt. Transcripts that are written anew have neither.
	LastWork  string `json:"last_work,omitempty"`
	PriorWork string `json:"prior_work,omitempty"`
	// Model and Version are the latest ones; Version is the agent's own.
	Model   string `json:"model,omitempty"`
	Version string `json:"version,omitempty"`
	// Models are the models that answered, subagents' too, the one that answered last at the end.
	Models []ModelUse `json:"models,omitempty"`

	// AgentIDs are the subagents in the order of their first appearance, each once.
	AgentIDs []string `json:"agent_ids,omitempty"`
	// OpenCalls are the tool calls without a result so far, oldest first.
	OpenCalls []ToolCall `json:"open_calls,omitempty"`
	// Edits are the files that edit calls named, least recently edited first.
	Edits []FileEdit `json:"edits,omitempty"`
	// Folder is the folder in which the agent works, below the worktree's top, "" for the top: relative names begin there.
	Folder string `json:"-"`

	// LastShellStart is the line of the last shell command.
	LastShellStart int `json:"ran,omitempty"`
	// Touched are the files that calls other than edit calls may have written, least
	// recently named first.
	Touched []Touched `json:"touched,omitempty"`
	// ImportedAt is the line of the last call that may have imported content that others wrote.
	// OutlivedAt is the line of the first call that may have kept running after it returned.
	ImportedAt int `json:"took,omitempty"`
	OutlivedAt int `json:"stayed,omitempty"`
	// CallsKnownAt is the line of the last call of any kind, or of the last answer that the
	// program itself logged: such a transcript contains all calls (but see agent.Profile.OrNone). It is
	// 0 if there is none.
	CallsKnownAt int `json:"told,omitempty"`
	// Called is the line of the last call of any kind.
	Called int `json:"called,omitempty"`

	messageState // for a transcript that is a list of messages

	// Counted is the usage of messages that are complete. Recent holds the usage of the
	// latest messages, for which later lines may report more.
	Counted agent.TokenUsage `json:"counted"`
	Recent  []MessageUsage   `json:"recent,omitempty"`
}

// ToolCall is a tool call. Command is the first 200 bytes of a shell command; Commits says
// that the command may make a commit.
type ToolCall struct {
	ID      string `json:"id"`
	Name    string `json:"name"`
	Command string `json:"command,omitempty"`
	Commits bool   `json:"commits,omitempty"`
	Starts  bool   `json:"starts,omitempty"` // the call starts a subagent
	// Before are the edits of the files that the call names, as they were before it; the line is 0 for a file that no
	// call had named.
	Before []FileEdit `json:"before,omitempty"`
}

// Touched is a pattern for files that a call may have written, with the line of the last
// such call.
type Touched struct {
	effects.Files
	Line int `json:"line"`
}

// ModelUse is a model, with the line of its last answer.
type ModelUse struct {
	Model string `json:"model"`
	Line  int    `json:"line"`
}

// FileEdit is a file as the agent named it, see InFolder, with the line that named it.
type FileEdit struct {
	Path string `json:"path"`
	Line int    `json:"line"`
}

// MessageUsage is the usage of one message.
type MessageUsage struct {
	ID    string           `json:"id"`
	Usage agent.TokenUsage `json:"usage"`
}

// NewConversation returns an empty Conversation for transcripts of agent type t.
func NewConversation(t agent.AgentType) *Conversation { return &Conversation{Agent: t} }

// In sets the folder in which the agent works, and returns c.
func (c *Conversation) In(folder string) *Conversation {
	c.Folder = folder
	return c
}

// InFolder returns a file's name as it is seen from the worktree's top, if an agent in a folder below gave it. A name that
// does not begin in that folder stays.
func InFolder(folder, path string) string {
	if folder == "" || path == "" || filepath.IsAbs(path) || strings.HasPrefix(path, "~") {
		return path
	}
	return filepath.Join(filepath.FromSlash(folder), path)
}

// AddLine adds one complete line, given without its newline and not retained. It counts a
// malformed line and otherwise skips it.
func (c *Conversation) AddLine(text []byte) { c.Add(ReadLine(c.Agent, text)) }

// Add adds a line that was read.
func (c *Conversation) Add(l Line) {
	c.Lines++
	if !l.OK {
		c.Malformed++
		return
	}
	messages := agents.CountsMessages(c.Agent)
	for i := range l.Records {
		if messages {
			c.addMessage(&l.Records[i], l.Saved)
		} else {
			c.addRecord(&l.Records[i], standing{})
		}
	}
}

// addAgentID notes a subagent, each once.
func (c *Conversation) addAgentID(agentID string) {
	if len(c.AgentIDs) < maxAgents && !slices.Contains(c.AgentIDs, agentID) {
		c.AgentIDs = append(c.AgentIDs, agentID)
	}
}

// addUsage keeps the largest usage, by output tokens, among the lines of one message.
func (c *Conversation) addUsage(message string, u agent.TokenUsage) {
	for i := len(c.Recent) - 1; i >= 0; i-- {
		if m := &c.Recent[i]; m.ID == message {
			if u.OutputTokens > m.Usage.OutputTokens {
				m.Usage = u
			}
			return
		}
	}
	c.remember(MessageUsage{message, u})
}

// sessionTotal is the name under which a total of the whole session counts.
const sessionTotal = "session"

// SetTotal sets what the session has used so far, for an agent whose transcript has no tokens.
func (c *Conversation) SetTotal(u agent.TokenUsage) { c.addUsage(sessionTotal, u) }

func (c *Conversation) remember(m MessageUsage) {
	c.Recent = append(c.Recent, m)
	if len(c.Recent) > MaxOpen {
		c.Counted = c.Counted.Add(c.Recent[0].Usage)
		c.Recent = slices.Delete(c.Recent, 0, 1)
	}
}

func (c *Conversation) openCall(call ToolCall) {
	c.OpenCalls = append(c.OpenCalls, call)
	if call.Command != "" {
		c.LastShellStart = c.Lines
	}
	if len(c.OpenCalls) > MaxOpen {
		c.OpenCalls = slices.Delete(c.OpenCalls, 0, 1)
	}
}

// noteEffects notes the effects of a call on files.
func (c *Conversation) noteEffects(e effects.Effects) {
	c.CallsKnownAt, c.Called = c.Lines, c.Lines
	for _, f := range e.Files {
		c.Touched = slices.DeleteFunc(c.Touched, func(t Touched) bool { return t.Files == f })
		c.Touched = append(c.Touched, Touched{f, c.Lines})
	}
	if n := len(c.Touched) - maxTouched; n > 0 {
		c.Touched = slices.Delete(c.Touched, 0, n)
	}
	if e.ImportsContent {
		c.ImportedAt = c.Lines
	}
	if e.Outlives && c.OutlivedAt == 0 {
		c.OutlivedAt = c.Lines
	}
}

func (c *Conversation) closeCall(callID string) {
	c.OpenCalls = slices.DeleteFunc(c.OpenCalls, func(o ToolCall) bool { return o.ID == callID })
	if len(c.OpenCalls) == 0 {
		c.OpenCalls = nil
	}
}

// addEdit notes that a call names a file, and returns the edit of the file before it, with line 0 for none.
func (c *Conversation) addEdit(path string) (before FileEdit, ok bool) {
	if path == "" || len(path) > maxPath {
		return before, false
	}
	before.Path = InFolder(c.Folder, path)
	if i := slices.IndexFunc(c.Edits, func(e FileEdit) bool { return e.Path == before.Path }); i >= 0 {
		before = c.Edits[i]
		c.Edits = slices.Delete(c.Edits, i, i+1)
	}
	c.Edits = append(c.Edits, FileEdit{before.Path, c.Lines})
	if len(c.Edits) > MaxEdits {
		c.Edits = slices.Delete(c.Edits, 0, 1)
	}
	return before, true
}

// takeBack restores the edits as they were before a call that wrote nothing.
func (c *Conversation) takeBack(before []FileEdit) {
	for _, was := range slices.Backward(before) {
		c.Edits = slices.DeleteFunc(c.Edits, func(e FileEdit) bool { return e.Path == was.Path })
		if was.Line == 0 {
			continue
		}
		at := slices.IndexFunc(c.Edits, func(e FileEdit) bool { return e.Line > was.Line })
		if at < 0 {
			at = len(c.Edits)
		}
		c.Edits = slices.Insert(c.Edits, at, was)
	}
}
