package pi

import (
	_ "embed"
	"path/filepath"
	"strings"

	"github.com/tidwall/gjson"

	"entire/agent"
	"entire/agent/internal/base"
	"entire/id"
)

// AgentName is pi's name on the command line.
const AgentName agent.AgentName = "pi"

//go:embed extension.ts
var extension string

// extensionMark is in every version of the extension.
const extensionMark = "// Written by `entire enable --agent pi`"

// Adapter is pi.
type Adapter struct{ *base.Base }

var (
	_ agent.Agent        = Adapter{}
	_ agent.RecordReader = Adapter{}
	_ agent.CallTeller   = Adapter{}
)

// New returns the adapter for pi.
func New() Adapter {
	return Adapter{&base.Base{
		Agent: AgentName, AgentType: agent.AgentTypePi,
		Transcripts: ".pi/agent/sessions", Resume: "pi --session ", Session: sessionIn, Read: base.Common, Answer: base.PluginAnswer,
		About: agent.Profile{
			Description:      "Pi - the minimal coding agent for the terminal",
			HookFiles:        []agent.HookFile{{Path: ".pi/extensions/entire.ts", Whole: true}},
			UserHookFiles:    []agent.HookFile{{Path: ".pi/agent/extensions/entire.ts", Whole: true}},
			Programs:         []string{"pi"},
			Folders:          []string{".pi"},
			HomeFolders:      []string{".pi/agent"},
			SkillFolder:      ".pi/skills",
			ShellVars:        []string{"PI_CODING_AGENT"},
			KeepsTranscripts: true, RecordsAllCalls: true,
			Trust:          "pi loads extensions of a folder only if you trust the folder: agree when it asks, or enter `/trust`; before that, `pi -p` needs --approve",
			TrustsFolder:   true,
			TranscriptsVar: "ENTIRE_TEST_PI_SESSIONS_DIR",
		},
		Words: []base.Verb{
			{Word: "session-start", Is: agent.SessionStart},
			{Word: "turn-start", Is: agent.TurnStart},
			{Word: "turn-goes-on", Is: agent.TurnContinues},
			{Word: "turn-end", Is: agent.TurnEnd},
			{Word: "session-end", Is: agent.SessionEnd},
			{Word: "pre-tool", Is: agent.ToolStart},
			{Word: "post-tool", Is: agent.ToolEnd},
		},
		File: &base.Whole{Mark: extensionMark, Text: func(_ string, opts agent.InstallOptions) string {
			return base.Script(extension, string(AgentName), opts, shellTools, append(shellTools[:2:2], "edit", "write"))
		}},
	}}
}

// Folders implements agent.Agent: pi names a project's folder by its path, with a dash for every
// separator.
func (a Adapter) Folders(home, top string, _ func(string) []byte) []string {
	name := strings.NewReplacer("/", "-", `\`, "-", ":", "-").Replace(strings.TrimPrefix(top, "/"))
	return []string{filepath.Join(a.TranscriptRoot(home), "--"+name+"--")}
}

// TranscriptPath implements agent.Agent: the name of a transcript holds the time at which it began.
func (Adapter) TranscriptPath(string, string, id.SessionID) string { return "" }

// OwnsFile implements agent.Agent.
func (Adapter) OwnsFile(name string, session id.SessionID) bool {
	return strings.HasSuffix(name, "_"+session.String()+".jsonl")
}

// FileName implements agent.Agent.
func (Adapter) FileName(session id.SessionID, transcript []byte) string {
	began := "restored"
	line, _, _ := strings.Cut(string(transcript[:min(len(transcript), 4096)]), "\n")
	if at := gjson.Get(line, "timestamp"); at.Type == gjson.String && len(at.Str) < 40 {
		began = strings.NewReplacer(":", "-", ".", "-", "/", "-", `\`, "-").Replace(at.Str)
	}
	return began + "_" + session.String() + ".jsonl"
}

// sessionIn returns the session that a transcript's name holds, "" for none.
func sessionIn(transcript string) string {
	stem := base.Stem(transcript, ".jsonl")
	return stem[strings.LastIndexByte(stem, '_')+1:]
}

// Recognises implements agent.Recogniser: the first line describes the session.
func (Adapter) Recognises(head []byte) bool {
	line, _, _ := strings.Cut(string(head), "\n")
	return gjson.Get(line, "type").String() == "session" && gjson.Get(line, "version").Type == gjson.Number && gjson.Get(line, "cwd").Exists()
}
