package claude

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

// Adapter is Anthropic's Claude Code. Its transcripts are JSON lines with one content
// block each; its hooks are in .claude/settings.json.
type Adapter struct{ *base.Base }

var (
	_ agent.Agent            = Adapter{}
	_ agent.HookSwitch       = Adapter{}
	_ agent.StatusLineShower = Adapter{}
)

// New returns the adapter.
func New() Adapter { return Adapter{&table} }

// settingsFile has the hooks, in a repository and below the home directory.
const settingsFile = ".claude/settings.json"

// idle is the kind of notification that says that Claude Code has been waiting for a prompt, a minute by default.
const idle = "idle_prompt"

// table is data that the compiler lays out: it costs nothing when the program starts.
var table = base.Base{
	Agent: agent.AgentNameClaudeCode, AgentType: agent.AgentTypeClaudeCode,
	Transcripts: ".claude/projects",
	About: agent.Profile{
		Description:      "Claude Code - Anthropic's CLI coding assistant",
		HookFiles:        []agent.HookFile{{Path: settingsFile}},
		UserHookFiles:    []agent.HookFile{{Path: settingsFile}},
		Programs:         []string{"claude"},
		Folders:          []string{".claude", "CLAUDE.md"},
		HomeFolders:      []string{".claude"},
		MCP:              agent.MCPFile{Path: ".mcp.json", Key: "mcpServers"},
		SkillFolder:      ".claude/skills",
		KeepsTranscripts: true, RecordsAllCalls: true, ReadsAncestors: true, FailedEditsWriteNothing: true,
		Asker: &agent.Asker{
			Program: "claude", Model: "sonnet",
			Args:  []string{"--print", "--output-format", "json", "--setting-sources", ""},
			Homes: []string{".local/bin", ".claude/local"},
		},
		ShellVars:  []string{"CLAUDECODE"},
		Signs:      agent.Signature{Emails: []string{"noreply@anthropic.com"}, Logins: []string{"claude[bot]"}},
		ProjectVar: "CLAUDE_PROJECT_DIR", TranscriptsVar: "ENTIRE_TEST_CLAUDE_PROJECT_DIR",
	},
	Words: []base.Verb{
		{Word: "session-start", Is: agent.SessionStart},
		{Word: "user-prompt-submit", Is: agent.TurnStart},
		{Word: "stop", Is: agent.TurnEnd},
		{Word: "stop-failure", Is: agent.TurnEnd},
		{Word: "idle", Is: agent.Idle},
		{Word: "session-end", Is: agent.SessionEnd},
		{Word: "pre-task", Is: agent.TaskStart},
		{Word: "post-task", Is: agent.TaskEnd},
		{Word: "post-todo", Is: agent.Todo},
		{Word: "pre-tool", Is: agent.ToolStart},
		{Word: "post-tool", Is: agent.ToolEnd},
		{Word: "subagent-start", Is: agent.TaskStart},
		{Word: "subagent-stop", Is: agent.TaskEnd},
	},
	Hooks: settings.Table{
		Agent: agent.AgentNameClaudeCode, Stop: "stop", Older: []string{" hooks claudecode stop", " rewind claude-hook --stop"},
		Dev: "go run ${CLAUDE_PROJECT_DIR}/cmd/entire/main.go ", Matchers: true,
		Hooks: []settings.Hook{
			{Event: "SessionStart", Verb: "session-start"},
			{Event: "SessionEnd", Verb: "session-end"},
			{Event: "UserPromptSubmit", Verb: "user-prompt-submit"},
			{Event: "Stop", Verb: "stop"},
			{Event: "PreToolUse", Matcher: "Task", Verb: "pre-task"},
			{Event: "PostToolUse", Matcher: "Task", Verb: "post-task"},
			{Event: "PostToolUse", Matcher: "TodoWrite", Verb: "post-todo"},
			{Event: "SubagentStart", Verb: "subagent-start"},
			{Event: "SubagentStop", Verb: "subagent-stop"},
			{Event: "StopFailure", Verb: "stop-failure"},
			{Event: "Notification", Matcher: idle, Verb: "idle"},
		},
	},
	Read:    read,
	Session: sessionIn,
	Answer:  base.ClaudeAnswer,
	Resume:  "claude -r ",
}

// read sets the fields of an event. Other agents run Claude Code's hooks, too.
func read(p *payload.Payload, ev *agent.Event) error {
	agentID, name := p.Find("agent_id", "agentId")
	ev.AgentID = p.Word(agentID, name)
	if err := p.TurnIntoTask(ev); err != nil {
		return err
	}
	if err := base.Common(p, ev); err != nil {
		return err
	}
	switch ev.Type {
	case agent.TurnStart:
		ev.Source = p.Text("source")
	case agent.TurnEnd:
		ev.BackgroundTasks = p.BackgroundTasks()
	case agent.Idle:
		if kind := p.Text("notification_type"); kind != "" && kind != idle {
			ev.Type = ""
		}
	}
	if ev.Type == agent.TurnEnd || ev.Type == agent.TaskEnd {
		ev.Answer = p.Text("last_assistant_message")
	}
	if ev.IsSelfReported() {
		ev.Type = "" // the subagent reports itself
	}
	return nil
}

// TranscriptPath implements Agent.
func (a Adapter) TranscriptPath(home, top string, session id.SessionID) string {
	return filepath.Join(a.Folders(home, top, nil)[0], a.FileName(session, nil))
}

// SubagentTranscripts implements Agent: newer versions keep subagents' transcripts in a
// folder of their session, older ones next to its transcript. There is none for an AgentID
// that is not a plain word.
func (Adapter) SubagentTranscripts(transcript string, session id.SessionID, agentID string) []string {
	if transcript == "" || !jsontext.IsSafeName(agentID) {
		return nil
	}
	dir, file := filepath.Dir(transcript), "agent-"+agentID+".jsonl"
	beside := filepath.Join(dir, file)
	if session.IsZero() {
		return []string{beside}
	}
	return []string{filepath.Join(dir, session.String(), "subagents", file), beside}
}

// sessionIn returns the session that a transcript's file name contains, "" if there is
// none.
func sessionIn(transcript string) string {
	stem := base.Stem(transcript, ".jsonl")
	if strings.HasPrefix(stem, "agent-") {
		return ""
	}
	return stem
}

// SwitchFiles implements agent.HookSwitch.
func (Adapter) SwitchFiles() []string {
	return []string{settingsFile, ".claude/settings.local.json"}
}

// SwitchedOff implements agent.HookSwitch.
func (Adapter) SwitchedOff(src []byte) bool { return settings.Has(src, "disableAllHooks", true) }
