package agent

import (
	"slices"

	"entire/internal/effects"

	"github.com/tidwall/gjson"
)

// Bounds of what a Conversation remembers.
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

// Conversation is what has been learnt from a transcript's lines so far. It is
// fed one line at a time and can be stored as JSON between two of them without
// making a difference. Fed with redacted lines, all it holds is redacted. Its
// size is bounded except for the prompts, which Forget drops.
type Conversation struct {
	Agent AgentType `json:"agent"`
	// Lines counts every line, Malformed those that could not be read.
	Lines     int `json:"lines"`
	Malformed int `json:"malformed,omitempty"`

	// Prompts are what the user said, oldest first, without the first Forgotten.
	Prompts   []string `json:"prompts,omitempty"`
	Forgotten int      `json:"forgotten,omitempty"`
	// LastUUID is of any line; LastAssistant is the agent's last text, its first
	// 4 kB; LastTime is the timestamp of the last line that has one, as written.
	LastUUID      string `json:"last_uuid,omitempty"`
	LastAssistant string `json:"last_assistant,omitempty"`
	LastTime      string `json:"last_time,omitempty"`
	// Model and Version are the latest seen, Version being the agent's own.
	Model   string `json:"model,omitempty"`
	Version string `json:"version,omitempty"`

	// AgentIDs are the subagents seen, in order, each once.
	AgentIDs []string `json:"agent_ids,omitempty"`
	// OpenCalls are the tool calls without a result yet, oldest first.
	OpenCalls []ToolCall `json:"open_calls,omitempty"`
	// Edits are the files that editing tools named, least recently edited first.
	Edits []FileEdit `json:"edits,omitempty"`

	// Ran is the number of the line with the last shell command, Over that of the last
	// one that was over when the transcript first told of it.
	Ran  int `json:"ran,omitempty"`
	Over int `json:"over,omitempty"`
	// Touched are the files that calls may have written of which the transcript does not
	// tell line by line, least recently named first.
	Touched []Touched `json:"touched,omitempty"`
	// Took is the number of the line with the last call that may have brought what others
	// wrote, Stayed that of the first that may have gone on when it was over.
	Took   int `json:"took,omitempty"`
	Stayed int `json:"stayed,omitempty"`
	// Told is the number of the line with the last call of whatever kind, or with the
	// last answer of a model: where there is one, the transcript tells of all calls.
	Told int `json:"told,omitempty"`
	// Called is that of the last call of whatever kind.
	Called int `json:"called,omitempty"`

	geminiTalk // of a Gemini transcript

	// Counted is the usage of messages that are complete, Recent that of the
	// latest ones, whose later lines may still report more.
	Counted TokenUsage     `json:"counted"`
	Recent  []MessageUsage `json:"recent,omitempty"`
}

// ToolCall is a call of a tool. Command is the first 200 bytes of a shell command, and
// Commits says that this may make a commit.
type ToolCall struct {
	ID      string `json:"id"`
	Name    string `json:"name"`
	Command string `json:"command,omitempty"`
	Commits bool   `json:"commits,omitempty"`
}

// Touched is a pattern for files that a call may have written, and the number of the line
// with the last such call.
type Touched struct {
	effects.Files
	Line int `json:"line"`
}

// FileEdit is a file as the agent named it, and the number of the line that did.
type FileEdit struct {
	Path string `json:"path"`
	Line int    `json:"line"`
}

// MessageUsage is the usage of one message.
type MessageUsage struct {
	ID    string     `json:"id"`
	Usage TokenUsage `json:"usage"`
}

// NewConversation returns an empty conversation with an agent of type t.
func NewConversation(t AgentType) *Conversation { return &Conversation{Agent: t} }

// AddLine learns from one complete line, given without its newline and not
// retained. A malformed line is counted and otherwise skipped.
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

// setIf keeps what was known where nothing new is said.
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
		c.OpenCalls = nil // whatever ran was interrupted
	}
	subagents := 0 // that have come back
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
	if subagents > 0 { // one whose transcript nobody can name
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

// syntheticModel is written where the program speaks for the model.
const syntheticModel = "<synthetic>"

// addUsage keeps, of the lines of one message, the one that reports most output.
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
		did.Stays = did.Stays || input.Get("run_in_background").Bool() && len(did.Files) > 0
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

// did notes what a call may have done to files.
func (c *Conversation) did(e effects.Effects) {
	c.Told, c.Called = c.Lines, c.Lines
	for _, f := range e.Files {
		c.Touched = slices.DeleteFunc(c.Touched, func(t Touched) bool { return t.Files == f })
		c.Touched = append(c.Touched, Touched{f, c.Lines})
	}
	if n := len(c.Touched) - maxTouched; n > 0 {
		c.Touched = slices.Delete(c.Touched, 0, n)
	}
	if e.Takes {
		c.Took = c.Lines
	}
	if e.Stays && c.Stayed == 0 {
		c.Stayed = c.Lines
	}
}

// effectsOfTool are those of a tool that is no shell. What an editing tool writes its
// record tells, and what a subagent does its own transcript.
func effectsOfTool(name string, input gjson.Result) effects.Effects {
	if isEditTool(name) || isSubagentTool(name) {
		return effects.Effects{}
	}
	return effects.OfTool(name, namedFiles(input))
}

// isSubagentTool tells the tool that has a subagent do something.
func isSubagentTool(name string) bool { return name == "Task" || name == "Agent" }

// namedFiles are the files that the input of a tool names.
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

// isEditTool tells the tools that write the file they name.
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
