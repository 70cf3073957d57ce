package conversation

import (
	"slices"
	"strconv"

	"github.com/tidwall/gjson"

	"entire/agent"
	"entire/agent/claude"
	"entire/agent/generic"
	"entire/agent/internal/jsontext"
	"entire/internal/effects"
)

const maxCommand = 200

const maxPath = 4 << 10

const MaxOpen = 64 // messages and tool calls that may still change

const MaxEdits = 500 // files

const maxAgents = 500

const maxTouched = 500

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
	// Model and Version are the latest ones; Version is the agent's own.
	Model   string `json:"model,omitempty"`
	Version string `json:"version,omitempty"`

	// AgentIDs are the subagents in the order of their first appearance, each once.
	AgentIDs []string `json:"agent_ids,omitempty"`
	// OpenCalls are the tool calls without a result so far, oldest first.
	OpenCalls []ToolCall `json:"open_calls,omitempty"`
	// Edits are the files that edit calls named, least recently edited first.
	Edits []FileEdit `json:"edits,omitempty"`

	// LastShellStart is the line of the last shell command. Over is the line of the last command that
	// had ended when the transcript first mentioned it.
	LastShellStart int `json:"ran,omitempty"`
	LastShellEnd   int `json:"over,omitempty"`
	// Touched are the files that calls other than edit calls may have written, least
	// recently named first.
	Touched []Touched `json:"touched,omitempty"`
	// ImportedAt is the line of the last call that may have imported content that others wrote.
	// OutlivedAt is the line of the first call that may have kept running after it returned.
	ImportedAt int `json:"took,omitempty"`
	OutlivedAt int `json:"stayed,omitempty"`
	// CallsKnownAt is the line of the last call of any kind, or of the last answer that the
	// program itself logged: such a transcript contains all calls. It is 0 if there is
	// none.
	CallsKnownAt int `json:"told,omitempty"`
	// Called is the line of the last call of any kind.
	Called int `json:"called,omitempty"`

	geminiState // for a Gemini transcript

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
}

// Touched is a pattern for files that a call may have written, with the line of the last
// such call.
type Touched struct {
	effects.Files
	Line int `json:"line"`
}

// FileEdit is a file as the agent named it, with the line that named it.
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

// AddLine adds one complete line, given without its newline and not retained. It counts a
// malformed line and otherwise skips it.
func (c *Conversation) AddLine(line []byte) {
	c.Lines++
	if jsontext.Blank(line) {
		return
	}
	if c.Agent == agent.AgentTypeGemini {
		c.addRecord(line)
		return
	}
	if records, ok, reads := recordsIn(c.Agent, line); reads {
		if !ok {
			c.Malformed++
		}
		for i := range records {
			c.addRecordOf(&records[i])
		}
		return
	}
	var g generic.Line
	if c.Agent != agent.AgentTypeClaudeCode && g.Scan(line) {
		c.addGeneric(&g)
		return
	}
	var l claude.Line
	if !l.Scan(line) {
		c.Malformed++
		return
	}
	c.add(&l)
}

func (c *Conversation) add(l *claude.Line) {
	agent.SetIf(&c.LastUUID, agent.Clip(l.UUID, agent.MaxName))
	agent.SetIf(&c.Version, agent.Clip(l.Version, agent.MaxName))
	agent.SetIf(&c.LastTime, agent.Clip(l.Timestamp, agent.MaxName))
	switch l.Kind {
	case "user":
		c.addUser(l)
	case "assistant":
		c.addAssistant(l)
	}
}

func (c *Conversation) addUser(l *claude.Line) {
	p := l.Prompt()
	if p != "" {
		c.Prompts = append(c.Prompts, agent.Clip(p, agent.MaxPrompt))
	}
	if p != "" || l.Interrupts() {
		c.OpenCalls = nil // the user interrupted the running calls
	}
	subagents := 0 // calls of subagents that returned
	l.Message.EachBlock(func(kind string, block gjson.Result) {
		if kind == "tool_result" {
			callID := block.Get("tool_use_id").String()
			if slices.ContainsFunc(c.OpenCalls, func(o ToolCall) bool { return o.ID == callID && isSubagentTool(o.Name) }) {
				subagents++
			}
			c.closeCall(callID)
		}
	})
	l.AgentIDs(func(agentID string) {
		subagents--
		c.addAgentID(agentID)
	})
	if subagents > 0 { // no ID leads to the subagent's transcript, so its work is unknown
		c.noteEffects(effects.Unknown())
	}
}

// addAgentID notes a subagent, each once.
func (c *Conversation) addAgentID(agentID string) {
	if len(c.AgentIDs) < maxAgents && !slices.Contains(c.AgentIDs, agentID) {
		c.AgentIDs = append(c.AgentIDs, agentID)
	}
}

func (c *Conversation) addAssistant(l *claude.Line) {
	if l.Message.Model != agent.SyntheticModel {
		agent.SetIf(&c.Model, agent.Clip(l.Message.Model, agent.MaxName))
	}
	if l.Answered() {
		c.CallsKnownAt = c.Lines
	}
	if l.Message.ID != "" {
		c.addUsage(agent.Clip(l.Message.ID, agent.MaxName), l.Message.Tokens())
	}
	l.Message.EachBlock(func(kind string, block gjson.Result) {
		switch kind {
		case "text":
			if t := agent.Trimmed(block.Get("text")); t != "" && !l.Sidechain {
				c.LastAssistant = agent.Clip(t, agent.MaxAnswer)
			}
		case "tool_use":
			c.addCall(block)
		}
	})
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

func (c *Conversation) addCall(block gjson.Result) {
	name, input := agent.Clip(jsontext.ValidUTF8(block.Get("name").String()), agent.MaxName), block.Get("input")
	if isEditTool(name) {
		c.addEdit(jsontext.ValidUTF8(agent.FirstString(input, "file_path", "notebook_path")))
	}
	callID := jsontext.ValidUTF8(block.Get("id").String())
	if callID == "" || len(callID) > agent.MaxName {
		return
	}
	call := ToolCall{ID: callID, Name: name}
	if name == "Bash" {
		command := input.Get("command").String()
		did := effects.OfShell(command)
		did.Outlives = did.Outlives || input.Get("run_in_background").Bool() && len(did.Files) > 0
		call.Command, call.Commits = agent.Clip(jsontext.ValidUTF8(command), maxCommand), did.Commits
		c.noteEffects(did)
	} else {
		c.noteEffects(effectsOfTool(name, input))
	}
	c.closeCall(callID)
	c.openCall(call)
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

// effectsOfTool returns the effects of a tool other than a shell. It returns none for an
// edit call, whose record names its changes, and for a subagent, which has a transcript of
// its own.
func effectsOfTool(name string, input gjson.Result) effects.Effects {
	if isEditTool(name) || isSubagentTool(name) {
		return effects.Effects{}
	}
	return effects.OfTool(name, jsontext.NamedFiles(input))
}

// isSubagentTool reports whether a tool starts a subagent.
func isSubagentTool(name string) bool { return name == "Task" || name == "Agent" }

func (c *Conversation) closeCall(callID string) {
	c.OpenCalls = slices.DeleteFunc(c.OpenCalls, func(o ToolCall) bool { return o.ID == callID })
	if len(c.OpenCalls) == 0 {
		c.OpenCalls = nil
	}
}

// isEditTool reports whether a tool is an editing tool: it writes the file that it names.
func isEditTool(name string) bool {
	switch name {
	case "Write", "Edit", "MultiEdit", "NotebookEdit", "mcp__acp__Write", "mcp__acp__Edit":
		return true
	}
	return false
}

func (c *Conversation) addEdit(path string) {
	if path == "" || len(path) > maxPath {
		return
	}
	c.Edits = slices.DeleteFunc(c.Edits, func(e FileEdit) bool { return e.Path == path })
	c.Edits = append(c.Edits, FileEdit{path, c.Lines})
	if len(c.Edits) > MaxEdits {
		c.Edits = slices.Delete(c.Edits, 0, 1)
	}
}

// AddGeneric adds a line in this program's own format.
func (c *Conversation) addGeneric(l *generic.Line) {
	agent.SetIf(&c.LastUUID, agent.Clip(l.ID, agent.MaxName))
	agent.SetIf(&c.LastTime, agent.Clip(l.Time, agent.MaxName))
	if p := l.Prompt(); p != "" {
		c.Prompts = append(c.Prompts, agent.Clip(p, agent.MaxPrompt))
		c.OpenCalls = nil
	}
	for _, f := range l.Wrote() {
		c.addEdit(f)
	}
	if l.Role != "assistant" {
		return
	}
	agent.SetIf(&c.Model, agent.Clip(l.Model, agent.MaxName))
	agent.SetIf(&c.LastAssistant, agent.Clip(agent.CleanPrompt(l.Said()), agent.MaxAnswer))
	if jsontext.At(l.Usage, 0) == '{' {
		name := l.ID
		if name == "" {
			name = "line " + strconv.Itoa(c.Lines)
		}
		c.addUsage(agent.Clip(name, agent.MaxName), l.Tokens())
	}
}
