package codex

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"entire/agent"
	"entire/agent/internal/base"
	"entire/agent/internal/payload"
	"entire/agent/internal/settings"
	"entire/id"
)

// Name is the agent's name on the command line.
const Name agent.AgentName = "codex"

// notifyVerb is the verb of Codex's notify program, which gets its payload as an argument.
const notifyVerb = "notify"

// Adapter is OpenAI's Codex.
type Adapter struct{ *base.Base }

var (
	_ agent.Agent          = Adapter{}
	_ agent.RecordReader   = Adapter{}
	_ agent.SessionTeller  = Adapter{}
	_ agent.SessionFolders = Adapter{}
	_ agent.HookSwitch     = Adapter{}
	_ agent.Recogniser     = Adapter{}
)

// New returns the adapter.
func New() Adapter { return Adapter{&table} }

// table is data that the compiler lays out: it costs nothing when the program starts.
var table = base.Base{
	Agent: Name, AgentType: agent.AgentTypeCodex,
	Transcripts: ".codex/sessions",
	About: agent.Profile{
		Description:      "Codex - OpenAI's coding agent",
		HookFiles:        []agent.HookFile{{Path: ".codex/hooks.json"}},
		UserHookFiles:    []agent.HookFile{{Path: ".codex/hooks.json"}},
		Programs:         []string{"codex"},
		Folders:          []string{".codex"},
		HomeFolders:      []string{".codex"},
		MCP:              agent.MCPFile{Path: ".codex/config.toml"},
		SkillFolder:      ".agents/skills",
		ShellVars:        []string{"CODEX_SANDBOX", "CODEX_THREAD_ID"},
		KeepsTranscripts: true, RecordsAllCalls: true,
		Signs:          agent.Signature{Emails: []string{"noreply@openai.com", "codex@openai.com"}, Logins: []string{"chatgpt-codex-connector[bot]"}},
		Trust:          "Codex skips new hooks in silence until you trust them: run `codex` in this folder, trust the folder and choose \"Trust all and continue\", or enter `/hooks` and press `t`",
		TranscriptsVar: "ENTIRE_TEST_CODEX_PROJECT_DIR",
	},
	Words: []base.Verb{
		{Word: "session-start", Is: agent.SessionStart},
		{Word: "session-end", Is: agent.SessionEnd},
		{Word: "user-prompt-submit", Is: agent.TurnStart},
		{Word: "stop", Is: agent.TurnEnd},
		{Word: "interrupt", Is: agent.TurnEnd},
		{Word: notifyVerb, Is: agent.TurnEnd},
		{Word: "pre-tool", Is: agent.ToolStart},
		{Word: "post-tool", Is: agent.ToolEnd},
		{Word: "subagent-start", Is: agent.TaskStart},
		{Word: "subagent-stop", Is: agent.TaskEnd},
		{Word: "pre-compact"},
		{Word: "post-compact"},
	},
	// The place of a hook in its list is part of what a person trusts, so a later version may only add at the end.
	Hooks: settings.Table{Agent: Name, Stop: "stop", UserShell: true, Hooks: []settings.Hook{
		{Event: "SessionStart", Verb: "session-start"},
		{Event: "SessionEnd", Verb: "session-end"},
		{Event: "UserPromptSubmit", Verb: "user-prompt-submit"},
		{Event: "Stop", Verb: "stop"},
		{Event: "Interrupt", Verb: "interrupt"},
		{Event: "PreToolUse", Matcher: "Bash", Verb: "pre-tool", Guard: settings.Always},
		{Event: "PostToolUse", Matcher: "Bash", Verb: "post-tool"},
		{Event: "SubagentStart", Verb: "subagent-start"},
		{Event: "SubagentStop", Verb: "subagent-stop"},
	}},
	Read:    read,
	Answer:  base.ClaudeAnswer,
	Session: sessionIn,
	Resume:  "codex resume ",
}

// Decode implements agent.Agent.
func (a Adapter) Decode(verb string, data []byte, now time.Time) (agent.Event, error) {
	if verb != notifyVerb {
		return a.Base.Decode(verb, data, now)
	}
	ev, err := notified(data)
	if err != nil {
		return agent.Event{}, fmt.Errorf("parse notification: %w", err)
	}
	if ev.Type != "" {
		ev.Time = now
	}
	return ev, nil
}

// notified returns the end of a turn that Codex's notify program is told, for persons who do not use
// hooks. It names no transcript.
func notified(data []byte) (agent.Event, error) {
	p, err := payload.Parse(data)
	if err != nil {
		return agent.Event{}, err
	}
	if p.Text("type") != "agent-turn-complete" {
		return agent.Event{}, nil
	}
	ev := agent.Event{Type: agent.TurnEnd, Agent: Name, AgentType: agent.AgentTypeCodex, Dir: p.Dir(), Answer: p.Text("last-assistant-message")}
	session := p.Text("thread-id")
	if session == "" {
		return agent.Event{}, errors.New("no thread-id in input")
	}
	if ev.SessionID, err = id.ParseSessionID(session); err != nil {
		return agent.Event{}, err
	}
	if typed := p.Texts("input-messages"); len(typed) > 0 {
		ev.Prompt = typed[len(typed)-1]
	}
	ev.Warnings = p.Warnings
	return ev, nil
}

// read sets the fields of an event. Most events of a subagent name the session that it works for, with the
// subagent's own transcript.
func read(p *payload.Payload, ev *agent.Event) error {
	name, field := p.Find("agent_id")
	ev.AgentID = p.Word(name, field)
	if sessionIn(ev.TranscriptPath) != ev.SessionID.String() && ev.AgentID != "" {
		ev.TranscriptPath = ""
	}
	if err := p.TurnIntoTask(ev); err != nil {
		return err
	}
	if err := base.Common(p, ev); err != nil {
		return err
	}
	switch ev.Type {
	case agent.TaskStart, agent.TaskEnd:
		if ev.AgentID == "" {
			ev.Type = "" // nothing says which subagent it is
			return nil
		}
		ev.OwnSession = true // no call names the subagent
		if ev.Type == agent.TaskStart {
			ev.Launched = true
		} else {
			ev.Answer = p.Text("last_assistant_message")
		}
	}
	return nil
}

// uuidLen is the length of a thread's ID, which ends the name of its transcript.
const uuidLen = 36

// rolloutStem returns a transcript's name without its ending; false for another file.
func rolloutStem(name string) (string, bool) {
	name = name[strings.LastIndexAny(name, `/\`)+1:]
	stem, ok := strings.CutSuffix(strings.TrimSuffix(name, ".zst"), ".jsonl")
	return stem, ok && strings.HasPrefix(stem, "rollout-")
}

// sessionIn returns the session that a transcript's name ends with, "" for another file.
func sessionIn(transcript string) string {
	stem, ok := rolloutStem(transcript)
	if !ok || len(stem) <= uuidLen || stem[len(stem)-uuidLen-1] != '-' {
		return ""
	}
	return stem[len(stem)-uuidLen:]
}

// Folders implements agent.Agent: the folders by day are below one that all projects share.
func (a Adapter) Folders(home, _ string, _ func(string) []byte) []string {
	return []string{a.TranscriptRoot(home)}
}

// SessionFolders implements agent.SessionFolders: the day is that of the person's time zone, which the ID
// does not say.
func (Adapter) SessionFolders(root string, session id.SessionID) []string {
	began, ok := timeIn(session.String())
	if !ok {
		return nil
	}
	var out []string
	for _, hours := range []time.Duration{0, 14, -12} { // the time zones farthest from UTC
		dir := dayFolder(root, began.Add(hours*time.Hour))
		if len(out) == 0 || out[len(out)-1] != dir && out[0] != dir {
			out = append(out, dir)
		}
	}
	return out
}

// TranscriptPath implements agent.Agent.
func (a Adapter) TranscriptPath(home, _ string, session id.SessionID) string {
	dir := a.TranscriptRoot(home)
	if days := a.SessionFolders(dir, session); len(days) > 0 {
		dir = days[0]
	}
	return filepath.Join(dir, a.FileName(session, nil))
}

// OwnsFile implements agent.Agent.
func (Adapter) OwnsFile(name string, session id.SessionID) bool {
	stem, ok := rolloutStem(name)
	return ok && strings.HasSuffix(stem, "-"+session.String())
}

// FileName implements agent.Agent: Codex names a transcript by the time at which its thread began.
func (Adapter) FileName(session id.SessionID, transcript []byte) string {
	first, _, _ := strings.Cut(string(transcript[:min(len(transcript), maxHead)]), "\n")
	began, err := time.Parse(time.RFC3339, gjson.Get(first, "payload.timestamp").String())
	if err != nil {
		began, _ = timeIn(session.String())
	}
	return rolloutName(began, session.String())
}

// maxHead is how much of a transcript is searched for the time at which its thread began.
const maxHead = 64 << 10

// SubagentTranscripts implements agent.Agent: a subagent's transcript is named by the second in which its
// thread began, in the person's time zone. The names and the IDs of both threads tell both.
func (Adapter) SubagentTranscripts(transcript string, session id.SessionID, agentID string) []string {
	stem, ok := rolloutStem(transcript)
	began, known := timeIn(agentID)
	if !ok || !known {
		return nil
	}
	root := filepath.Dir(filepath.Dir(filepath.Dir(filepath.Dir(transcript))))
	zone := zoneOf(strings.TrimPrefix(strings.TrimSuffix(stem, "-"+session.String()), "rollout-"), session.String())
	var out []string
	for _, late := range []time.Duration{0, time.Second} {
		at := began.Add(zone + late)
		out = append(out, filepath.Join(dayFolder(root, at), rolloutName(at, agentID)))
	}
	return out
}

// SwitchFiles implements agent.HookSwitch.
func (Adapter) SwitchFiles() []string { return []string{".codex/config.toml"} }

// SwitchedOff implements agent.HookSwitch.
func (Adapter) SwitchedOff(src []byte) bool {
	return settings.HasTOML(src, "features", "hooks", "false")
}
