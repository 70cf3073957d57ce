package gemini

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"entire/agent"
	"entire/agent/document"
	"entire/agent/internal/base"
	"entire/agent/internal/jsontext"
	"entire/agent/internal/payload"
	"entire/agent/internal/settings"
	"entire/id"
)

// Adapter is Google's Gemini CLI. Older versions write a transcript as one JSON document
// that they rewrite with every message, newer versions as lines of records. Its hooks are
// in .gemini/settings.json.
type Adapter struct{ *base.Base }

var (
	_ agent.Agent      = Adapter{}
	_ agent.HookSwitch = Adapter{}
	_ agent.CallTeller = Adapter{}
)

// New returns the adapter.
func New() Adapter { return Adapter{&table} }

// settingsFile has the hooks, in a repository and below the home directory.
const settingsFile = ".gemini/settings.json"

// table is data that the compiler lays out: it costs nothing when the program starts.
var table = base.Base{
	Agent: agent.AgentNameGemini, AgentType: agent.AgentTypeGemini,
	Transcripts: ".gemini/tmp",
	About: agent.Profile{
		Description: "Gemini CLI - Google's AI coding assistant", Preview: "Preview",
		HookFiles:     []agent.HookFile{{Path: settingsFile}},
		UserHookFiles: []agent.HookFile{{Path: settingsFile}},
		Programs:      []string{"gemini"},
		Folders:       []string{".gemini", "GEMINI.md"},
		HomeFolders:   []string{".gemini"},
		MCP:           agent.MCPFile{Path: settingsFile, Key: "mcpServers"}, SkillFolder: ".gemini/skills",
		KeepsTranscripts: true, RecordsAllCalls: true, Messages: true,
		Trust: "Gemini CLI runs the hooks of a folder only if you trust the folder: agree when it asks, or enter `/permissions trust`; with --skip-trust it runs none", TrustsFolder: true,
		Asker: &agent.Asker{
			Program: "gemini", Families: []string{"gemini", "gemma"},
			Args: []string{"--prompt", "Answer with the JSON object only.", "--output-format", "json"},
		},
		ShellVars: []string{"GEMINI_CLI"}, Signs: agent.Signature{Logins: []string{"gemini-code-assist[bot]", "gemini-cli[bot]"}},
		ProjectVar: "GEMINI_PROJECT_DIR", TranscriptsVar: "ENTIRE_TEST_GEMINI_PROJECT_DIR",
	},
	// Verbs without an event are installed for other tools and ignored.
	Words: []base.Verb{
		{Word: "session-start", Is: agent.SessionStart},
		{Word: "session-end", Is: agent.SessionEnd},
		{Word: "before-agent", Is: agent.TurnStart},
		{Word: "after-agent", Is: agent.TurnEnd},
		{Word: "before-model"},
		{Word: "after-model"},
		{Word: "before-tool-selection"},
		{Word: "before-tool", Is: agent.ToolStart},
		{Word: "after-tool", Is: agent.ToolEnd},
		{Word: "pre-compress"},
		{Word: "notification"},
	},
	Hooks: settings.Table{
		Agent: agent.AgentNameGemini, Stop: "after-agent", Dev: "go run ${GEMINI_PROJECT_DIR}/cmd/entire/main.go ",
		Hooks: []settings.Hook{
			{Event: "SessionStart", Name: "entire-session-start", Verb: "session-start"},
			{Event: "SessionEnd", Matcher: "exit", Name: "entire-session-end-exit", Verb: "session-end"},
			{Event: "SessionEnd", Matcher: "logout", Name: "entire-session-end-logout", Verb: "session-end"},
			{Event: "BeforeAgent", Name: "entire-before-agent", Verb: "before-agent"},
			{Event: "AfterAgent", Name: "entire-after-agent", Verb: "after-agent"},
			{Event: "BeforeModel", Name: "entire-before-model", Verb: "before-model"},
			{Event: "AfterModel", Name: "entire-after-model", Verb: "after-model"},
			{Event: "BeforeToolSelection", Name: "entire-before-tool-selection", Verb: "before-tool-selection"},
			{Event: "BeforeTool", Matcher: "*", Name: "entire-before-tool", Verb: "before-tool", Guard: settings.Always, Also: "run_shell_command"},
			{Event: "AfterTool", Matcher: "*", Name: "entire-after-tool", Verb: "after-tool"},
			{Event: "PreCompress", Name: "entire-pre-compress", Verb: "pre-compress"},
			{Event: "Notification", Name: "entire-notification", Verb: "notification"},
		},
	},
	Session: sessionIn, Answer: base.PlainAnswer,
	Resume: "gemini --resume ",
}

// Folders implements Agent: the folder that Gemini's list of projects names, the folder
// named by the hash of the project's path (of older versions), and a folder that another
// tool writes to.
func (g Adapter) Folders(home, top string, read func(string) []byte) []string {
	sum := sha256.Sum256([]byte(top))
	names := []string{hex.EncodeToString(sum[:]), jsontext.Dashed(top)}
	if slug := projectSlug(read(filepath.Join(home, ".gemini", "projects.json")), top); slug != "" {
		names = append([]string{slug}, names...)
	}
	for i, n := range names {
		names[i] = filepath.Join(g.TranscriptRoot(home), n, "chats")
	}
	return names
}

// projectSlug returns the folder that Gemini's list of projects assigns to top, "" for
// none.
func projectSlug(list []byte, top string) string {
	if !gjson.ValidBytes(list) {
		return ""
	}
	slug := payload.Members(gjson.GetBytes(list, "projects"))[top]
	if slug.Type != gjson.String || !jsontext.IsSafeName(slug.Str) {
		return ""
	}
	return slug.Str
}

// TranscriptPath implements Agent.
func (g Adapter) TranscriptPath(home, top string, session id.SessionID) string {
	none := func(string) []byte { return nil }
	return filepath.Join(g.Folders(home, top, none)[0], g.FileName(session, nil))
}

// OwnsFile implements Agent: a file's name contains the first eight characters of the ID.
func (Adapter) OwnsFile(path string, session id.SessionID) bool {
	stem, ok := geminiStem(filepath.Base(path))
	if !ok {
		return false
	}
	return stem == session.String() ||
		strings.HasPrefix(stem, "session-") && strings.HasSuffix(stem, "-"+shortSession(session))
}

func geminiStem(name string) (string, bool) {
	return strings.CutSuffix(strings.TrimSuffix(name, "l"), ".json")
}

func shortSession(session id.SessionID) string {
	return session.String()[:min(8, len(session.String()))]
}

// FileName implements Agent: Gemini lists files whose name contains a time and the first
// eight characters of the ID.
func (Adapter) FileName(session id.SessionID, transcript []byte) string {
	ending := ".json"
	if len(transcript) > 0 && !document.Is(transcript) {
		ending = ".jsonl"
	}
	if start, err := time.Parse(time.RFC3339, geminiStart(transcript)); err == nil {
		return "session-" + start.UTC().Format("2006-01-02T15-04") + "-" + shortSession(session) + ending
	}
	return session.String() + ending
}

// geminiStart returns the start time in a transcript, as written.
func geminiStart(transcript []byte) (start string) {
	head := transcript
	if !document.Is(transcript) {
		head, _, _ = bytes.Cut(transcript, []byte("\n"))
	}
	jsontext.EachMember(head, func(key, value []byte) {
		if string(key) == "startTime" {
			start = jsontext.Unquote(value)
		}
	})
	return start
}

// SubagentTranscripts implements Agent: the transcripts of subagents are in a folder named
// for their session.
func (Adapter) SubagentTranscripts(transcript string, session id.SessionID, agentID string) []string {
	if transcript == "" || session.IsZero() || !jsontext.IsSafeName(agentID) {
		return nil
	}
	return []string{filepath.Join(filepath.Dir(transcript), session.String(), agentID+".jsonl")}
}

// sessionIn derives a session from a transcript's file name, which has only part of the
// ID: the result is valid for that session only.
func sessionIn(transcript string) string {
	stem, ok := geminiStem(path.Base(strings.ReplaceAll(transcript, `\`, "/")))
	if !ok || strings.HasPrefix(stem, "session-") {
		return ""
	}
	return stem
}

// SwitchFiles implements agent.HookSwitch.
func (Adapter) SwitchFiles() []string { return []string{settingsFile} }

// SwitchedOff implements agent.HookSwitch. Install switches the hooks on in the repository's file,
// which wins over the user's.
func (Adapter) SwitchedOff(src []byte) bool { return settings.Has(src, "hooksConfig.enabled", false) }
