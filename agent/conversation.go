package agent

import (
	"slices"

	"entire/internal/effects"

	"github.com/tidwall/gjson"
)

// Bounds of a Conversation.
const (
	maxPrompt  = 256 << 10
	maxAnswer  = 4 << 10
	maxCommand = 200
	maxPath    = 4 << 10
	maxName    = 200
	maxOpen    = 64  // messages and tool calls that may still change
	maxEdits   = 500 // files
	maxAgents  = 500
	maxTouched = 500
)

// Conversation is the summary of a transcript's lines so far. It takes one line at a time
// and can be stored as JSON between any two lines without a difference. If the lines are
// redacted, so is everything that it holds. Its size is bounded except for the prompts,
// which Forget drops.
type Conversation struct {
	Agent AgentType `json:"agent"`
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

	// Ran is the line of the last shell command. Over is the line of the last command that
	// had ended when the transcript first mentioned it.
	Ran  int `json:"ran,omitempty"`
	Over int `json:"over,omitempty"`
	// Touched are the files that calls other than edit calls may have written, least
	// recently named first.
	Touched []Touched `json:"touched,omitempty"`
	// Took is the line of the last call that may have imported content that others wrote.
	// Stayed is the line of the first call that may have kept running after it returned.
	Took   int `json:"took,omitempty"`
	Stayed int `json:"stayed,omitempty"`
	// Told is the line of the last call of any kind, or of the last answer that the
	// program itself logged: such a transcript contains all calls. It is 0 if there is
	// none.
	Told int `json:"told,omitempty"`
	// Called is the line of the last call of any kind.
	Called int `json:"called,omitempty"`

	geminiTalk // for a Gemini transcript

	// Counted is the usage of messages that are complete. Recent holds the usage of the
	// latest messages, for which later lines may report more.
	Counted TokenUsage     `json:"counted"`
	Recent  []MessageUsage `json:"recent,omitempty"`
}

// ToolCall is a tool call. Command is the first 200 bytes of a shell command; Commits says
// that the command may make a commit.
type ToolCall struct {
	ID      string `json:"id"`
	Name    string `json:"name"`
	Command string `json:"command,omitempty"`
	Commits bool   `json:"commits,omitempty"`
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
	ID    string     `json:"id"`
	Usage TokenUsage `json:"usage"`
}

// NewConversation returns an empty Conversation for transcripts of agent type t.
func NewConversation(t AgentType) *Conversation { return &Conversation{Agent: t} }

// AddLine adds one complete line, given without its newline and not retained. It counts a
// malformed line and otherwise skips it.
func (c *Conversation) AddLine(line []byte) {
	c.Lines++
	if blank(line) {
		return
	}
	if c.Agent == AgentTypeGemini {
		c.addRecord(line)
		return
	}
	var g genericLine
	if c.Agent != AgentTypeClaudeCode && g.scan(line) {
		c.addGeneric(&g)
		return
	}
	var l claudeLine
	if !l.scan(line) {
		c.Malformed++
		return
	}
	c.add(&l)
}

func (c *Conversation) add(l *claudeLine) {
	setIf(&c.LastUUID, clip(l.uuid, maxName))
	setIf(&c.Version, clip(l.version, maxName))
	setIf(&c.LastTime, clip(l.timestamp, maxName))
	switch l.kind {
	case "user":
		c.addUser(l)
	case "assistant":
		c.addAssistant(l)
	}
}

// setIf sets *to to s, unless s is empty.
func setIf(to *string, s string) {
	if s != "" {
		*to = s
	}
}

func (c *Conversation) addUser(l *claudeLine) {
	p := l.prompt()
	if p != "" {
		c.Prompts = append(c.Prompts, clip(p, maxPrompt))
	}
	if p != "" || l.interrupts() {
		c.OpenCalls = nil // the user interrupted the running calls
	}
	subagents := 0 // calls of subagents that returned
	l.message.eachBlock(func(kind string, block gjson.Result) {
		if kind == "tool_result" {
			callID := block.Get("tool_use_id").String()
			if slices.ContainsFunc(c.OpenCalls, func(o ToolCall) bool { return o.ID == callID && isSubagentTool(o.Name) }) {
				subagents++
			}
			c.closeCall(callID)
		}
	})
	l.agentIDs(func(agentID string) {
		subagents--
		if len(c.AgentIDs) < maxAgents && !slices.Contains(c.AgentIDs, agentID) {
			c.AgentIDs = append(c.AgentIDs, agentID)
		}
	})
	if subagents > 0 { // no ID leads to the subagent's transcript, so its work is unknown
		c.did(effects.Unknown())
	}
}

func (c *Conversation) addAssistant(l *claudeLine) {
	if l.message.model != syntheticModel {
		setIf(&c.Model, clip(l.message.model, maxName))
	}
	if l.answered() {
		c.Told = c.Lines
	}
	if l.message.id != "" {
		c.addUsage(clip(l.message.id, maxName), l.message.tokens())
	}
	l.message.eachBlock(func(kind string, block gjson.Result) {
		switch kind {
		case "text":
			if t := trimmed(block.Get("text")); t != "" && !l.sidechain {
				c.LastAssistant = clip(t, maxAnswer)
			}
		case "tool_use":
			c.addCall(block)
		}
	})
}

// syntheticModel is the model's name in messages that the agent's program wrote.
const syntheticModel = "<synthetic>"

// addUsage keeps the largest usage, by output tokens, among the lines of one message.
func (c *Conversation) addUsage(message string, u TokenUsage) {
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

func (c *Conversation) remember(m MessageUsage) {
	c.Recent = append(c.Recent, m)
	if len(c.Recent) > maxOpen {
		c.Counted = c.Counted.Add(c.Recent[0].Usage)
		c.Recent = slices.Delete(c.Recent, 0, 1)
	}
}

func (c *Conversation) addCall(block gjson.Result) {
	name, input := clip(valid(block.Get("name").String()), maxName), block.Get("input")
	if isEditTool(name) {
		c.addEdit(valid(firstText(input, "file_path", "notebook_path")))
	}
	callID := valid(block.Get("id").String())
	if callID == "" || len(callID) > maxName {
		return
	}
	call := ToolCall{ID: callID, Name: name}
	if name == "Bash" {
		command := input.Get("command").String()
		did := effects.OfShell(command)
		did.Outlives = did.Outlives || input.Get("run_in_background").Bool() && len(did.Files) > 0
		call.Command, call.Commits = clip(valid(command), maxCommand), did.Commits
		c.did(did)
	} else {
		c.did(effectsOfTool(name, input))
	}
	c.closeCall(callID)
	c.openCall(call)
}

func (c *Conversation) openCall(call ToolCall) {
	c.OpenCalls = append(c.OpenCalls, call)
	if call.Command != "" {
		c.Ran = c.Lines
	}
	if len(c.OpenCalls) > maxOpen {
		c.OpenCalls = slices.Delete(c.OpenCalls, 0, 1)
	}
}

// did notes the effects of a call on files.
func (c *Conversation) did(e effects.Effects) {
	c.Told, c.Called = c.Lines, c.Lines
	for _, f := range e.Files {
		c.Touched = slices.DeleteFunc(c.Touched, func(t Touched) bool { return t.Files == f })
		c.Touched = append(c.Touched, Touched{f, c.Lines})
	}
	if n := len(c.Touched) - maxTouched; n > 0 {
		c.Touched = slices.Delete(c.Touched, 0, n)
	}
	if e.ImportsContent {
		c.Took = c.Lines
	}
	if e.Outlives && c.Stayed == 0 {
		c.Stayed = c.Lines
	}
}

// effectsOfTool returns the effects of a tool other than a shell. It returns none for an
// edit call, whose record names its changes, and for a subagent, which has a transcript of
// its own.
func effectsOfTool(name string, input gjson.Result) effects.Effects {
	if isEditTool(name) || isSubagentTool(name) {
		return effects.Effects{}
	}
	return effects.OfTool(name, namedFiles(input))
}

// isSubagentTool reports whether a tool starts a subagent.
func isSubagentTool(name string) bool { return name == "Task" || name == "Agent" }

// namedFiles returns the files that a tool's input names.
func namedFiles(input gjson.Result) (out []string) {
	for _, key := range []string{"path", "file_path", "filePath", "filename", "file", "destination", "target", "relative_path", "uri", "output"} {
		if v := input.Get(key); v.Type == gjson.String && v.Str != "" {
			out = append(out, valid(v.Str))
		}
	}
	for _, key := range []string{"paths", "files"} {
		input.Get(key).ForEach(func(_, v gjson.Result) bool {
			if v.Type == gjson.String && len(out) < maxOpen {
				out = append(out, valid(v.Str))
			}
			return true
		})
	}
	return out
}

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
	if len(c.Edits) > maxEdits {
		c.Edits = slices.Delete(c.Edits, 0, 1)
	}
}
