package droid

import (
	"path/filepath"
	"strings"

	"github.com/tidwall/gjson"

	"entire/agent"
	"entire/agent/internal/base"
	"entire/agent/internal/jsontext"
	"entire/agent/internal/payload"
	"entire/agent/internal/settings"
	"entire/id"
)

// Name is the agent's name on the command line.
const Name agent.AgentName = "droid"

// Adapter is Factory's droid.
type Adapter struct{ *base.Base }

var _ interface {
	agent.Agent
	agent.RecordReader
	agent.UsageKeeper
	agent.ParentNamer
} = Adapter{}

// New returns the adapter.
func New() Adapter { return Adapter{&table} }

// table is data that the compiler lays out: it costs nothing when the program starts.
var table = base.Base{
	Agent: Name, AgentType: agent.AgentTypeDroid,
	Transcripts: ".factory/sessions",
	About: agent.Profile{
		Description:      "Factory droid - Factory's AI coding agent",
		HookFiles:        []agent.HookFile{{Path: ".factory/settings.json"}},
		UserHookFiles:    []agent.HookFile{{Path: ".factory/settings.json"}},
		Programs:         []string{"droid"},
		Folders:          []string{".factory"},
		HomeFolders:      []string{".factory"},
		MCP:              agent.MCPFile{Path: ".factory/mcp.json", Key: "mcpServers", Type: "stdio"},
		SkillFolder:      ".factory/skills",
		ShellVars:        []string{"FACTORY_EXEC_TARGET_AUTONOMY"},
		Signs:            agent.Signature{Logins: []string{"factory-droid[bot]"}},
		KeepsTranscripts: true, RecordsAllCalls: true,
		ProjectVar: "FACTORY_PROJECT_DIR", TranscriptsVar: "ENTIRE_TEST_DROID_PROJECT_DIR",
	},
	Words: []base.Verb{
		{Word: "session-start", Is: agent.SessionStart},
		{Word: "session-end", Is: agent.SessionEnd},
		{Word: "user-prompt-submit", Is: agent.TurnStart},
		{Word: "pre-tool-use", Is: agent.TurnStart},
		{Word: "pre-tool", Is: agent.ToolStart},
		{Word: "post-tool", Is: agent.ToolEnd},
		{Word: "stop", Is: agent.TurnEnd},
	},
	Hooks: settings.Table{
		Agent: Name, Stop: "stop",
		Hooks: []settings.Hook{
			{Event: "SessionStart", Verb: "session-start"},
			{Event: "SessionEnd", Verb: "session-end"},
			{Event: "UserPromptSubmit", Verb: "user-prompt-submit"},
			{Event: "PreToolUse", Verb: "pre-tool-use"},
			{Event: "PreToolUse", Matcher: "Execute", Verb: "pre-tool", Guard: settings.OnlyWith},
			{Event: "PostToolUse", Matcher: "Execute", Verb: "post-tool"},
			{Event: "Stop", Verb: "stop"},
		},
	},
	Read: read, Session: sessionIn, Answer: answer,
	Resume: "droid --resume ",
}

// answer gives a note to the model and, because not every version passes that on, to the person.
func answer(note, refusal string) any {
	out := base.ClaudeAnswer(note, refusal)
	if all, ok := out.(map[string]any); ok && refusal == "" {
		all["systemMessage"] = note
	}
	return out
}

// read sets the fields of droid's own payloads.
func read(p *payload.Payload, ev *agent.Event) error {
	name := p.Text("tool_name", "toolName")
	switch {
	case ev.Type == agent.TurnStart && name != "": // a call begins a turn if no prompt did
		ev.Implied = true
		return nil
	case ev.Type == agent.TurnStart && isNote(p.Prompt()):
		ev.Type = agent.TurnContinues
		return nil
	case ev.Type == agent.TurnEnd:
		ev.Implied = true
		return nil
	}
	return base.Common(p, ev)
}

func sessionIn(transcript string) string { return base.Stem(transcript, ".jsonl") }

// ParentOf implements agent.ParentNamer.
func (Adapter) ParentOf(firstLine []byte) (id.SessionID, string, bool) {
	if !gjson.ValidBytes(firstLine) {
		return id.SessionID{}, "", false
	}
	parent := gjson.GetBytes(firstLine, "callingSessionId")
	if parent.Type != gjson.String || parent.Str == "" {
		return id.SessionID{}, "", false
	}
	session, err := id.ParseSessionID(parent.Str)
	return session, id.ToolUseIDFor(gjson.GetBytes(firstLine, "callingToolUseId").String()), err == nil
}

// UsageFile implements agent.UsageKeeper: the session's settings have the tokens.
func (Adapter) UsageFile(transcript string) string {
	return strings.TrimSuffix(transcript, ".jsonl") + ".settings.json"
}

// Usage implements agent.UsageKeeper. The tokens of subagents are not in it: theirs are beside their own
// transcripts. Droid counts thoughts apart from the output.
func (Adapter) Usage(data []byte) (agent.TokenUsage, bool) {
	if !gjson.ValidBytes(data) {
		return agent.TokenUsage{}, false
	}
	u := gjson.GetBytes(data, "tokenUsage")
	count := func(key string) int { return jsontext.TokenCount(u.Get(key)) }
	return agent.TokenUsage{InputTokens: count("inputTokens"), CacheReadTokens: count("cacheReadTokens"),
		CacheCreationTokens: count("cacheCreationTokens"), OutputTokens: count("outputTokens")}, u.IsObject()
}

// TranscriptPath implements agent.Agent.
func (a Adapter) TranscriptPath(home, top string, session id.SessionID) string {
	return filepath.Join(a.Folders(home, top, nil)[0], a.FileName(session, nil))
}

// SubagentTranscripts implements agent.Agent: a subagent is a session whose transcript is beside that of
// its parent.
func (Adapter) SubagentTranscripts(transcript string, _ id.SessionID, agentID string) []string {
	if transcript == "" || !jsontext.IsSafeName(agentID) {
		return nil
	}
	return []string{filepath.Join(filepath.Dir(transcript), agentID+".jsonl")}
}
