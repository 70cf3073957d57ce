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
	"entire/agent/internal/jsontext"
	"entire/agent/internal/payload"
	"entire/id"
)

// Adapter is Google's Gemini CLI. Older versions write a transcript as one JSON document
// that they rewrite with every message, newer versions as lines of records. Its hooks are
// in .gemini/settings.json.
type Adapter struct{}

var _ agent.Agent = Adapter{}

// Name implements Agent.
func (Adapter) Name() agent.AgentName { return agent.AgentNameGemini }

// Type implements Agent.
func (Adapter) Type() agent.AgentType { return agent.AgentTypeGemini }

// Profile implements Agent.
func (Adapter) Profile() agent.Profile {
	return agent.Profile{
		Description:      "Gemini CLI - Google's AI coding assistant",
		Preview:          "Preview",
		HookFiles:        []agent.HookFile{{Path: ".gemini/settings.json"}},
		UserHookFiles:    []agent.HookFile{{Path: ".gemini/settings.json"}},
		Programs:         []string{"gemini"},
		Folders:          []string{".gemini", "GEMINI.md"},
		HomeFolders:      []string{".gemini"},
		KeepsTranscripts: true, RecordsAllCalls: true, Messages: true,
		Asker: &agent.Asker{
			Program: "gemini", Families: []string{"gemini", "gemma"},
			Args: []string{"--prompt", "Answer with the JSON object only.", "--output-format", "json"},
		},
		ShellVars:  []string{"GEMINI_CLI"},
		ProjectVar: "GEMINI_PROJECT_DIR", TranscriptsVar: "ENTIRE_TEST_GEMINI_PROJECT_DIR",
	}
}

// ResumeCommand implements Agent.
func (Adapter) ResumeCommand(session id.SessionID) string {
	return "gemini --resume " + session.String()
}

// TranscriptRoot implements Agent.
func (Adapter) TranscriptRoot(home string) string { return filepath.Join(home, ".gemini", "tmp") }

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
	if stem, ok := strings.CutSuffix(name, ".json"); ok {
		return stem, true
	}
	return strings.CutSuffix(name, ".jsonl")
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

// sessionOf derives a session from a transcript's file name, which has only part of the
// ID: the result is valid for that session only.
func (Adapter) sessionOf(transcript string) string {
	stem, ok := geminiStem(path.Base(strings.ReplaceAll(transcript, `\`, "/")))
	if !ok || strings.HasPrefix(stem, "session-") {
		return ""
	}
	return stem
}
