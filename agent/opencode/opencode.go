package opencode

import (
	_ "embed"
	"errors"

	"github.com/tidwall/gjson"

	"entire/agent"
	"entire/agent/internal/base"
	"entire/agent/internal/payload"
)

// The names of the two agents.
const (
	AgentNameOpenCode agent.AgentName = "opencode"
	AgentNameKilo     agent.AgentName = "kilo"

	AgentTypeOpenCode agent.AgentType = "OpenCode"
	AgentTypeKilo     agent.AgentType = "Kilo"
)

//go:embed plugin.js
var plugin string

// pluginMark is in every version of the plugin.
const pluginMark = "// Written by `entire enable --agent "

// Adapter is OpenCode or Kilo.
type Adapter struct{ *base.Base }

var (
	_ agent.Agent        = Adapter{}
	_ agent.RecordReader = Adapter{}
	_ agent.Forgetter    = Adapter{}
	_ agent.SocketTeller = Adapter{}
)

// OpenCode returns the adapter for OpenCode.
func OpenCode() Adapter {
	return newAdapter(AgentNameOpenCode, AgentTypeOpenCode, agent.Profile{
		Description: "OpenCode - the open source coding agent",
		Programs:    []string{"opencode"},
		Folders:     []string{".opencode", "opencode.json", "opencode.jsonc"},
		HomeFolders: []string{".config/opencode", ".local/share/opencode"},
		ShellVars:   []string{"OPENCODE"},
		Signs:       agent.Signature{Emails: []string{"noreply@opencode.ai"}, Logins: []string{"opencode-agent[bot]"}},
	}, ".config/opencode/plugin/entire.js")
}

// Kilo returns the adapter for Kilo.
func Kilo() Adapter {
	return newAdapter(AgentNameKilo, AgentTypeKilo, agent.Profile{
		Description: "Kilo - the command line of Kilo Code",
		Programs:    []string{"kilo"},
		Folders:     []string{".kilo", ".kilocode", "kilo.json", "kilo.jsonc"},
		HomeFolders: []string{".config/kilo", ".local/share/kilo"},
		ShellVars:   []string{"KILO"},
	}, ".config/kilo/plugin/entire.js")
}

func newAdapter(name agent.AgentName, kind agent.AgentType, about agent.Profile, userFile string) Adapter {
	about.HookFiles = []agent.HookFile{{Path: "." + string(name) + "/plugin/entire.js", Whole: true}}
	about.UserHookFiles = []agent.HookFile{{Path: userFile, Whole: true}}
	about.MCP = agent.MCPFile{Path: string(name) + ".json", Key: "mcp", Type: "local", OneList: true}
	about.SkillFolder = "." + string(name) + "/skills"
	about.RecordsAllCalls, about.SubagentsInside = true, true
	return Adapter{&base.Base{Agent: name, AgentType: kind, About: about, Read: read, Answer: base.PluginAnswer, Resume: string(name) + " --session ",
		Words: []base.Verb{
			{Word: "turn-start", Is: agent.TurnStart},
			{Word: "said", Is: agent.Said},
			{Word: "turn-goes-on", Is: agent.TurnContinues},
			{Word: "turn-end", Is: agent.TurnEnd},
			{Word: "task-end", Is: agent.TaskEnd},
			{Word: "pre-tool", Is: agent.ToolStart},
			{Word: "post-tool", Is: agent.ToolEnd},
		},
		File: &base.Whole{Mark: pluginMark, Text: func(_ string, opts agent.InstallOptions) string {
			return base.Script(plugin, string(name), opts, shellTools(), changingTools())
		}},
	}}
}

// read sets the fields of an event from what the plugin sends.
func read(p *payload.Payload, ev *agent.Event) error {
	if err := base.Common(p, ev); err != nil {
		return err
	}
	switch ev.Type {
	case agent.TurnStart:
		ev.Prompt = ""
		ev.SetPrompt(unquoted(p.Prompt()))
		ev.Model, ev.Socket = p.Text("model"), p.Path("", "socket")
	case agent.TurnContinues:
		ev.Socket = p.Path("", "socket")
		return nil
	case agent.TurnEnd:
		ev.BackgroundTasks = runningIn(p)
	case agent.TaskEnd: // of a subagent in the background
		of, name := p.Find("agent_id")
		ev.AgentID, ev.OwnSession = p.Word(of, name), true
	case agent.Said:
	default:
		return nil
	}
	if size, name := p.Find("too_long"); name != "" {
		p.Warn("the conversation has %d bytes: the plugin did not send it", size.Int())
	}
	messages, name := p.Find("messages")
	if name == "" || !messages.IsArray() {
		return nil
	}
	ev.Lines = lines(ev.SessionID.String(), p.Text("agent_version"), messages, func(string) bool { return false })
	partial, _ := p.Find("partial")
	ev.Partial = partial.Type == gjson.True
	return nil
}

// SaidSoFar implements agent.SocketTeller.
func (a Adapter) SaidSoFar(answer []byte, kept func(messageID string) bool) (agent.OpenTurn, error) {
	p, err := payload.Parse(answer)
	if err != nil {
		return agent.OpenTurn{}, err
	}
	sid, err := p.Session("", func(string) string { return "" })
	settled, _ := p.Find("messages")
	running, _ := p.Find("running")
	if err == nil && !(settled.IsArray() && running.IsArray()) {
		err = errNoMessages
	}
	if err != nil {
		return agent.OpenTurn{}, err
	}
	version := p.Text("agent_version")
	none := func(string) bool { return false }
	return agent.OpenTurn{Session: sid, Lines: lines(sid.String(), version, settled, kept), Running: lines(sid.String(), version, running, none)}, nil
}

var errNoMessages = errors.New("the plugin's answer has no messages")

// runningIn returns the subagents that work on when a turn has ended; nil if the plugin does not say.
func runningIn(p *payload.Payload) []string {
	list, name := p.Find("background")
	if name == "" || !list.IsArray() {
		return nil
	}
	running := []string{}
	list.ForEach(func(_, one gjson.Result) bool {
		if of := p.Word(one, name); of != "" {
			running = append(running, of)
		}
		return true
	})
	return running
}
