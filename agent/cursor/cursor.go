package cursor

import (
	"path/filepath"
	"strings"

	"entire/agent"
	"entire/agent/internal/base"
	"entire/agent/internal/jsontext"
	"entire/agent/internal/payload"
	"entire/agent/internal/settings"
	"entire/id"
)

// Name is the agent's name on the command line.
const Name agent.AgentName = "cursor"

// Adapter is Cursor, the editor and its command line.
type Adapter struct{ *base.Base }

var _ interface {
	agent.Agent
	agent.RecordReader
	agent.CallTeller
} = Adapter{}

// New returns the adapter.
func New() Adapter { return Adapter{&table} }

// table is data that the compiler lays out: it costs nothing when the program starts.
var table = base.Base{
	Agent: Name, AgentType: agent.AgentTypeCursor,
	Transcripts: ".cursor/projects",
	About: agent.Profile{
		Description:   "Cursor - the editor and cursor-agent",
		HookFiles:     []agent.HookFile{{Path: ".cursor/hooks.json"}},
		UserHookFiles: []agent.HookFile{{Path: ".cursor/hooks.json"}},
		Programs:      []string{"cursor-agent", "cursor"},
		Folders:       []string{".cursor"},
		HomeFolders:   []string{".cursor"},
		MCP:           agent.MCPFile{Path: ".cursor/mcp.json", Key: "mcpServers"},
		SkillFolder:   ".cursor/skills",
		ShellVars:     []string{"CURSOR_AGENT"},
		Signs:         agent.Signature{Emails: []string{"cursoragent@cursor.com"}, Logins: []string{"cursor[bot]"}},
		PathByID:      true, RecordsAllCalls: true, OrNone: true,
		NoCut:      "Cursor keeps its conversations in a database of its own",
		Preview:    "made from documentation, not tried with the program",
		ProjectVar: "CURSOR_PROJECT_DIR", TranscriptsVar: "ENTIRE_TEST_CURSOR_PROJECT_DIR",
	},
	Words: []base.Verb{
		{Word: "session-start", Is: agent.SessionStart},
		{Word: "session-end", Is: agent.SessionEnd},
		{Word: "before-submit-prompt", Is: agent.TurnStart},
		{Word: "pre-tool-use", Is: agent.TurnStart},
		{Word: "pre-tool", Is: agent.ToolStart},
		{Word: "post-tool", Is: agent.ToolEnd},
		{Word: "stop", Is: agent.TurnEnd},
	},
	Hooks: settings.Table{
		Agent: Name, Stop: "stop", Flat: true,
		Head:  []jsontext.Render{version},
		Entry: entry,
		// Only events that the documentation names: Cursor ignores a file with an unknown one.
		Hooks: []settings.Hook{
			{Event: "sessionStart", Verb: "session-start"},
			{Event: "sessionEnd", Verb: "session-end"},
			{Event: "beforeSubmitPrompt", Verb: "before-submit-prompt"},
			{Event: "preToolUse", Verb: "pre-tool-use"},
			{Event: "beforeShellExecution", Verb: "pre-tool", Guard: settings.OnlyWithUnfiltered},
			{Event: "afterShellExecution", Verb: "post-tool"},
			{Event: "afterFileEdit", Verb: "post-tool"},
			{Event: "stop", Verb: "stop"},
		},
	},
	Read: read, Answer: answer, Session: sessionIn, LocalPath: jsontext.LocalPath,
	Resume: "cursor-agent --resume ",
}

// version is the first member of the file of hooks.
func version(jsontext.Style, string) string { return `"version": 1` }

func entry(command string) jsontext.Render {
	return jsontext.Object(jsontext.Field("command", jsontext.Quoted(command)))
}

// answer refuses a command. It tells no note, because an answer that allows a command would also approve it.
func answer(_, refusal string) any {
	if refusal == "" {
		return nil
	}
	return map[string]string{"permission": "deny", "user_message": refusal, "agent_message": refusal}
}

// read sets the fields of Cursor's own payloads. In print mode it tells neither prompts nor ends of
// turns: the first call begins the turn then.
func read(p *payload.Payload, ev *agent.Event) error {
	switch ev.Type {
	case agent.TurnStart:
		if _, name := p.Find("tool_name", "toolName"); name != "" {
			ev.Implied = true
			return nil
		}
	case agent.TurnEnd:
		ev.Implied = true
		ev.Usage, ev.UsageReport = usage(p), agent.Clip(p.Text("generation_id"), agent.MaxName)
		return nil
	case agent.ToolStart, agent.ToolEnd:
		ev.ToolName = "Shell"
		if edits, name := p.Find("edits"); name != "" && edits.IsArray() {
			ev.ToolName = "Edit"
			ev.ToolInput = []byte(`{"path":` + jsontext.Quote(p.Path(ev.Dir, "file_path")) + `,"edits":` + string(jsontext.OneLine([]byte(edits.Raw))) + `}`)
		} else if command := p.Text("command"); command != "" {
			ev.ToolInput = []byte(`{"command":` + jsontext.Quote(command) + `}`)
		}
		return nil
	}
	return base.Common(p, ev)
}

// usage returns what a turn consumed. Cursor counts what it read from and wrote to a cache as input, too.
func usage(p *payload.Payload) agent.TokenUsage {
	count := func(name string) int {
		v, _ := p.Find(name)
		return jsontext.TokenCount(v)
	}
	u := agent.TokenUsage{InputTokens: count("input_tokens"), OutputTokens: count("output_tokens"),
		CacheReadTokens: count("cache_read_tokens"), CacheCreationTokens: count("cache_write_tokens")}
	if cached := u.CacheReadTokens + u.CacheCreationTokens; cached <= u.InputTokens {
		u.InputTokens -= cached
	}
	return u
}

func sessionIn(transcript string) string { return base.Stem(transcript, ".jsonl") }

// Folders implements agent.Agent: there is one folder for each working directory, named by its path
// without the first dash.
func (a Adapter) Folders(home, top string, _ func(string) []byte) []string {
	return []string{filepath.Join(a.TranscriptRoot(home), strings.TrimLeft(jsontext.Dashed(top), "-"), "agent-transcripts")}
}

// TranscriptPath implements agent.Agent.
func (a Adapter) TranscriptPath(home, top string, session id.SessionID) string {
	return filepath.Join(a.Folders(home, top, nil)[0], a.FileName(session, nil))
}

// FileName implements agent.Agent: each session has a folder.
func (Adapter) FileName(session id.SessionID, _ []byte) string {
	return filepath.Join(session.String(), session.String()+".jsonl")
}

// SubagentTranscripts implements agent.Agent.
func (Adapter) SubagentTranscripts(transcript string, _ id.SessionID, agentID string) []string {
	if transcript == "" || !jsontext.IsSafeName(agentID) {
		return nil
	}
	return []string{filepath.Join(filepath.Dir(transcript), "subagents", agentID+".jsonl")}
}
