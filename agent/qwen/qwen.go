package qwen

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
const Name agent.AgentName = "qwen"

// Qwen Code's own tools.
const (
	subagentTool = "agent"
	todoTool     = "todo_write"
	shellTool    = "run_shell_command"
)

// Adapter is Alibaba's Qwen Code.
type Adapter struct{ *base.Base }

var (
	_ agent.Agent        = Adapter{}
	_ agent.RecordReader = Adapter{}
	_ agent.HookSwitch   = Adapter{}
)

// New returns the adapter.
func New() Adapter { return Adapter{&table} }

// table is data that the compiler lays out: it costs nothing when the program starts.
var table = base.Base{
	Agent: Name, AgentType: agent.AgentTypeQwen,
	Transcripts: ".qwen/projects",
	About: agent.Profile{
		Description:      "Qwen Code - Alibaba's CLI coding agent",
		HookFiles:        []agent.HookFile{{Path: ".qwen/settings.json"}},
		UserHookFiles:    []agent.HookFile{{Path: ".qwen/settings.json"}},
		Programs:         []string{"qwen"},
		Folders:          []string{".qwen", "QWEN.md"},
		HomeFolders:      []string{".qwen"},
		MCP:              agent.MCPFile{Path: ".qwen/settings.json", Key: "mcpServers"},
		SkillFolder:      ".qwen/skills",
		ShellVars:        []string{"QWEN_CODE"},
		Signs:            agent.Signature{Emails: []string{"qwen-coder@alibabacloud.com"}},
		KeepsTranscripts: true, RecordsAllCalls: true,
		ProjectVar: "QWEN_PROJECT_DIR", TranscriptsVar: "ENTIRE_TEST_QWEN_PROJECT_DIR",
	},
	Words: []base.Verb{
		{Word: "session-start", Is: agent.SessionStart},
		{Word: "session-end", Is: agent.SessionEnd},
		{Word: "user-prompt-submit", Is: agent.TurnStart},
		{Word: "stop", Is: agent.TurnEnd},
		{Word: "stop-failure", Is: agent.TurnEnd},
		{Word: "pre-task", Is: agent.TaskStart},
		{Word: "post-task", Is: agent.TaskEnd},
		{Word: "post-todo", Is: agent.Todo},
		{Word: "subagent-start", Is: agent.TaskStart},
		{Word: "subagent-stop", Is: agent.TaskEnd},
		{Word: "pre-tool", Is: agent.ToolStart},
		{Word: "post-tool", Is: agent.ToolEnd},
	},
	Hooks: settings.Table{Agent: Name, Stop: "stop", Head: []jsontext.Render{version}, Hooks: []settings.Hook{
		{Event: "SessionStart", Verb: "session-start"},
		{Event: "SessionEnd", Verb: "session-end"},
		{Event: "UserPromptSubmit", Verb: "user-prompt-submit"},
		{Event: "Stop", Verb: "stop"},
		{Event: "StopFailure", Verb: "stop-failure"},
		{Event: "PreToolUse", Matcher: subagentTool, Verb: "pre-task"},
		{Event: "PreToolUse", Matcher: shellTool, Verb: "pre-tool", Guard: settings.Always},
		{Event: "PostToolUse", Matcher: subagentTool, Verb: "post-task"},
		{Event: "PostToolUse", Matcher: todoTool, Verb: "post-todo"},
		{Event: "PostToolUse", Matcher: shellTool, Verb: "post-tool"},
		{Event: "SubagentStart", Verb: "subagent-start"},
		{Event: "SubagentStop", Verb: "subagent-stop"},
	}},
	Read:    read,
	Answer:  base.ClaudeAnswer,
	Session: func(transcript string) string { return base.Stem(transcript, ".jsonl") },
	Resume:  "qwen --resume ",
}

// version is the member that Qwen Code would otherwise add to the file by itself.
func version(s jsontext.Style, indent string) string {
	return jsontext.Field("$version", func(jsontext.Style, string) string { return "4" })(s, indent)
}

// read sets the fields of an event. Before every call of the model after the first, Qwen Code sends the
// hook for a prompt again, with no text; that is no event.
func read(p *payload.Payload, ev *agent.Event) error {
	prompt := p.Prompt()
	if ev.Type == agent.TurnStart && strings.TrimSpace(prompt) == "" {
		ev.Type = ""
		return nil
	}
	if err := base.Common(p, ev); err != nil {
		return err
	}
	switch ev.Type {
	case agent.TurnEnd:
		ev.BackgroundTasks = running(p)
		ev.Answer = p.Text("last_assistant_message") // the transcript gets it a moment later
	case agent.TaskStart, agent.TaskEnd, agent.Todo, agent.ToolStart, agent.ToolEnd:
		return task(p, ev)
	}
	return nil
}

// task sets what names the call and the subagent: the transcript knows the call by its
// tool_call_id. A subagent's own event does not name the call.
func task(p *payload.Payload, ev *agent.Event) error {
	if call := p.Text("tool_call_id"); call != "" {
		ev.ToolUseID = id.ToolUseIDFor(call)
	}
	if ev.Type != agent.TaskEnd {
		return nil
	}
	if ev.ToolName == "" { // the subagent's own event
		ev.Answer = p.Text("last_assistant_message")
		return nil
	}
	response, _ := p.Find("tool_response")
	if ev.AgentID = subagentIn(response.Get("llmContent").String()); ev.AgentID != "" {
		ev.Type, ev.Launched = agent.TaskStart, true // it works in the background
	}
	return nil
}

// running returns the subagents that work in the background, nil if the payload does not say.
func running(p *payload.Payload) []string {
	list, name := p.Find("background_tasks")
	if name == "" || !list.IsArray() {
		return nil
	}
	out := []string{}
	list.ForEach(func(_, one gjson.Result) bool {
		if aid := one.Get("id").String(); one.Get("status").String() == "running" && jsontext.IsSafeName(aid) {
			out = append(out, aid)
		}
		return true
	})
	return out
}

// taskMark precedes the ID of a subagent in the result of the call that launched it in the background.
const taskMark = "task_id: "

// subagentIn returns the ID of the subagent that the text of a result names, "" for none.
func subagentIn(text string) string {
	_, rest, found := strings.Cut(text, taskMark)
	if !found {
		return ""
	}
	aid := rest
	if end := strings.IndexAny(rest, " \n\t("); end >= 0 {
		aid = rest[:end]
	}
	if !jsontext.IsSafeName(aid) {
		return ""
	}
	return aid
}

// Folders implements agent.Agent.
func (a Adapter) Folders(home, top string, _ func(string) []byte) []string {
	return []string{filepath.Join(base.Dashed(a.TranscriptRoot(home), top), "chats")}
}

// TranscriptPath implements agent.Agent.
func (a Adapter) TranscriptPath(home, top string, session id.SessionID) string {
	return filepath.Join(a.Folders(home, top, nil)[0], a.FileName(session, nil))
}

// SubagentTranscripts implements agent.Agent: they are in a folder beside that of the sessions.
func (Adapter) SubagentTranscripts(transcript string, session id.SessionID, agentID string) []string {
	if transcript == "" || session.IsZero() || !jsontext.IsSafeName(agentID) {
		return nil
	}
	project := filepath.Dir(filepath.Dir(transcript))
	return []string{filepath.Join(project, "subagents", session.String(), "agent-"+agentID+".jsonl")}
}

// SwitchFiles implements agent.HookSwitch.
func (Adapter) SwitchFiles() []string { return []string{".qwen/settings.json"} }

// SwitchedOff implements agent.HookSwitch.
func (Adapter) SwitchedOff(src []byte) bool { return settings.Has(src, "disableAllHooks", true) }
