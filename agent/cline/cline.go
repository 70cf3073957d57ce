package cline

import (
	_ "embed"
	"encoding/json"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"entire/agent"
	"entire/agent/internal/base"
	"entire/agent/internal/payload"
	"entire/id"
)

// AgentName is Cline's name on the command line, AgentType the stored one.
const (
	AgentName agent.AgentName = "cline"
	AgentType agent.AgentType = "Cline"
)

//go:embed hook.sh
var script string

// scriptMark is in every version of a hook.
const scriptMark = "# Written by `entire enable --agent cline`"

// hooksFolder holds the executables. Cline also reads .clinerules/hooks; but .clinerules may be a file.
const hooksFolder = ".cline/hooks/"

// Adapter is Cline.
type Adapter struct{ *base.Base }

var (
	_ agent.Agent          = Adapter{}
	_ agent.RecordReader   = Adapter{}
	_ agent.DocumentKeeper = Adapter{}
)

// verbOf returns the verb that the hook of an event passes.
func verbOf(event string) string {
	switch event {
	case "TaskStart", "TaskResume":
		return "task-start"
	case "PreToolUse":
		return "said"
	}
	return "task-end"
}

// New returns the adapter for Cline.
func New() Adapter {
	var files []agent.HookFile
	for _, event := range []string{"TaskComplete", "TaskStart", "TaskResume", "TaskCancel", "TaskError", "PreToolUse"} {
		files = append(files, agent.HookFile{Path: hooksFolder + event, Executable: true, Whole: true})
	}
	return Adapter{&base.Base{
		Agent: AgentName, AgentType: AgentType, Resume: "cline --id ", Read: base.Common,
		About: agent.Profile{
			Description: "Cline - the command line of Cline", HookFiles: files, UserHookFiles: files,
			Programs: []string{"cline"}, Folders: []string{".cline", ".clinerules"}, HomeFolders: []string{".cline"}, SkillFolder: ".cline/skills",
			RecordsAllCalls: true,
			NoGuard:         "how Cline reads the answer of a hook before a call is not known yet",
			NoCut:           "Cline keeps the conversation in files of its own that cannot be cut while its hub runs: it still knows what was taken back",
		},
		Words: []base.Verb{
			{Word: "task-start", Is: agent.TurnStart},
			{Word: "said", Is: agent.Said},
			{Word: "task-end", Is: agent.TurnEnd},
		},
		File: &base.Whole{Mark: scriptMark, Text: func(file string, opts agent.InstallOptions) string {
			text := strings.NewReplacer("{{VERB}}", verbOf(path.Base(file)), "{{EVENT}}", path.Base(file)).Replace(script)
			if opts.LocalDev {
				text = strings.ReplaceAll(text, "entire hooks", "go run ./cmd/entire hooks")
			}
			return text
		}},
	}}
}

// Decode implements agent.Agent. The events of a subagent are ignored: its documents are its session's.
// Cline does not wait for the hook at the start of a turn, but for that of a call: the calls of the first
// answer begin the turn, too.
func (a Adapter) Decode(verb string, data []byte, now time.Time) (agent.Event, error) {
	p, err := payload.Parse(data)
	if err != nil {
		return a.Base.Decode(verb, data, now)
	}
	if p.Text("parent_agent_id") != "" {
		return agent.Event{}, nil
	}
	all := gjson.ParseBytes(data)
	dir := p.Dir()
	if dir == "" {
		dir = all.Get("workspaceInfo.rootPath").String()
	}
	plain, err := json.Marshal(map[string]string{"session_id": all.Get("sessionContext.rootSessionId").String(), "cwd": dir})
	if err != nil {
		return agent.Event{}, err
	}
	ev, err := a.Base.Decode(verb, plain, now)
	if ev.Type == agent.Said && all.Get("iteration").Int() == 1 {
		ev.Type, ev.Implied = agent.TurnStart, true
	}
	return ev, err
}

// Documents implements agent.DocumentKeeper: the session's own document bears its name, the others are
// those of its subagents.
func (Adapter) Documents(home string, session id.SessionID) string {
	return filepath.Join(home, ".cline", "data", "sessions", session.String(), "*"+documentEnd)
}
