package copilot

import (
	"path/filepath"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"entire/agent"
	"entire/agent/internal/base"
	"entire/agent/internal/jsontext"
	"entire/agent/internal/payload"
	"entire/agent/internal/settings"
	"entire/id"
)

// Name is the agent's name on the command line.
const Name agent.AgentName = "copilot"

// eventsName is the name of every transcript, in the folder of its session.
const eventsName = "events.jsonl"

// Adapter is GitHub's Copilot CLI.
type Adapter struct{ *base.Base }

var _ interface {
	agent.Agent
	agent.RecordReader
} = Adapter{}

// New returns the adapter.
func New() Adapter { return Adapter{&table} }

// table is data that the compiler lays out: it costs nothing when the program starts.
var table = base.Base{
	Agent: Name, AgentType: agent.AgentTypeCopilot,
	Transcripts: ".copilot/session-state",
	About: agent.Profile{
		Description:      "Copilot CLI - GitHub's AI coding assistant",
		HookFiles:        []agent.HookFile{{Path: ".github/hooks/entire.json", Whole: true}},
		UserHookFiles:    []agent.HookFile{{Path: ".copilot/hooks/entire.json", Whole: true}},
		Programs:         []string{"copilot"},
		HomeFolders:      []string{".copilot"},
		MCP:              agent.MCPFile{Path: ".github/mcp.json", Key: "mcpServers", Type: "local", AllTools: true},
		SkillFolder:      ".github/skills",
		ShellVars:        []string{"COPILOT_CLI"},
		KeepsTranscripts: true, RecordsAllCalls: true, PathByID: true, SubagentsInside: true,
		Signs:          agent.Signature{Logins: []string{"copilot", "copilot-swe-agent[bot]"}},
		NoGuard:        "Copilot refuses a call if the hook before it fails",
		Trust:          "Copilot runs the hooks of a folder only after you have trusted the folder, and in `copilot -p` only with GITHUB_COPILOT_PROMPT_MODE_REPO_HOOKS=true",
		TrustsFolder:   true,
		TranscriptsVar: "ENTIRE_TEST_COPILOT_SESSION_DIR",
	},
	Words: []base.Verb{
		{Word: "session-start", Is: agent.SessionStart},
		{Word: "session-end", Is: agent.SessionEnd},
		{Word: "user-prompt-submitted", Is: agent.TurnStart},
		{Word: "agent-stop", Is: agent.TurnEnd},
		{Word: "subagent-start", Is: agent.TaskStart},
		{Word: "subagent-stop", Is: agent.TaskEnd},
		{Word: "post-tool", Is: agent.ToolEnd},
	},
	Hooks: settings.Table{
		Agent: Name, Stop: "agent-stop", Flat: true,
		Head: []jsontext.Render{version},
		// Never preToolUse: Copilot refuses the call if that hook fails.
		Hooks: []settings.Hook{
			{Event: "sessionStart", Verb: "session-start"},
			{Event: "userPromptSubmitted", Verb: "user-prompt-submitted"},
			{Event: "postToolUse", Verb: "post-tool"},
			{Event: "subagentStart", Verb: "subagent-start"},
			{Event: "subagentStop", Verb: "subagent-stop"},
			{Event: "agentStop", Verb: "agent-stop"},
			{Event: "sessionEnd", Verb: "session-end"},
		},
	},
	Read: read, Session: sessionIn,
	Resume: "copilot --resume=",
}

// version is the first member of the file of hooks.
func version(jsontext.Style, string) string { return `"version": 1` }

// read sets the fields of Copilot's own payloads. What a subagent reports becomes an event of the
// session that it works for.
func read(p *payload.Payload, ev *agent.Event) error {
	agentID, name := p.Find("agentId", "agent_id")
	ev.AgentID = p.Word(agentID, name)
	if err := p.TurnIntoTask(ev); err != nil {
		return err
	}
	at, _ := p.Find("timestamp")
	switch {
	case at.Type != gjson.Number:
	case ev.Type == agent.SessionStart: // the hook of the first prompt runs beside this one, and may end first
		ev.Time = time.UnixMilli(at.Int())
	case ev.Type == agent.TurnEnd, ev.Type == agent.TaskEnd, ev.Type == agent.SessionEnd:
		ev.Settled = `"timestamp":` + at.Raw // Copilot records each call of a hook with its input, a moment later
	}
	if ev.AgentID != "" && (ev.Type == agent.SessionStart || ev.Type == agent.SessionEnd) {
		ev.Type = "" // the session of a subagent
		return nil
	}
	switch ev.Type {
	case agent.TaskStart, agent.TaskEnd:
		ev.Launched, ev.OwnSession = ev.Type == agent.TaskStart, true
		p.Tool(ev)
		return nil
	case agent.ToolEnd:
		p.Tool(ev)
		ev.ToolInput = arguments(p)
		return nil
	}
	return base.Common(p, ev)
}

// arguments returns the arguments of a tool call, which some versions send as JSON in a string.
func arguments(p *payload.Payload) []byte {
	v, _ := p.Find("toolArgs", "tool_args", "toolInput", "tool_input")
	if v.Type == gjson.String && gjson.Valid(v.Str) {
		v = gjson.Parse(v.Str)
	}
	if !v.IsObject() {
		return nil
	}
	return []byte(v.Raw)
}

// sessionIn returns the session that a transcript's folder names, "" for none.
func sessionIn(transcript string) string {
	dir, found := strings.CutSuffix(strings.ReplaceAll(transcript, `\`, "/"), "/"+eventsName)
	if !found {
		return ""
	}
	return dir[strings.LastIndexByte(dir, '/')+1:]
}

// Folders implements agent.Agent: sessions of all projects share one folder.
func (a Adapter) Folders(home, _ string, _ func(string) []byte) []string {
	return []string{a.TranscriptRoot(home)}
}

// TranscriptPath implements agent.Agent.
func (a Adapter) TranscriptPath(home, _ string, session id.SessionID) string {
	return filepath.Join(a.TranscriptRoot(home), a.FileName(session, nil))
}

// FileName implements agent.Agent: the session's folder and the file in it.
func (Adapter) FileName(session id.SessionID, _ []byte) string {
	return filepath.Join(session.String(), eventsName)
}

// OwnsFile implements agent.Agent: the folder of the file has the session's ID as its name.
func (Adapter) OwnsFile(path string, session id.SessionID) bool {
	return sessionIn(filepath.ToSlash(path)) == session.String()
}
