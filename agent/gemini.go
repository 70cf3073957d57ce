package agent

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"entire/id"
)

// Gemini is Google's Gemini CLI. Its transcripts are, in older versions, one
// JSON document that is rewritten with every message and, in newer ones, lines of
// records; its hooks are kept in .gemini/settings.json.
type Gemini struct{}

var _ Agent = Gemini{}

// Name implements Agent.
func (Gemini) Name() AgentName { return AgentNameGemini }

// Type implements Agent.
func (Gemini) Type() AgentType { return AgentTypeGemini }

// SettingsPath implements Agent.
func (Gemini) SettingsPath() string { return ".gemini/settings.json" }

// ResumeCommand implements Agent.
func (Gemini) ResumeCommand(session id.SessionID) string {
	return "gemini --resume " + session.String()
}

// TranscriptRoot implements Agent.
func (Gemini) TranscriptRoot(home string) string { return filepath.Join(home, ".gemini", "tmp") }

// Folders implements Agent: the one that Gemini's list of projects names, the one
// named by the hash of the project's path, which older versions use, and one that
// another tool writes to.
func (g Gemini) Folders(home, top string, read func(string) []byte) []string {
	sum := sha256.Sum256([]byte(top))
	names := []string{hex.EncodeToString(sum[:]), dashed(top)}
	if slug := projectSlug(read(filepath.Join(home, ".gemini", "projects.json")), top); slug != "" {
		names = append([]string{slug}, names...)
	}
	for i, n := range names {
		names[i] = filepath.Join(g.TranscriptRoot(home), n, "chats")
	}
	return names
}

// projectSlug is the folder that Gemini's list of projects gives to top, "" if it
// gives none.
func projectSlug(list []byte, top string) string {
	if !gjson.ValidBytes(list) {
		return ""
	}
	slug := members(gjson.GetBytes(list, "projects"))[top]
	if slug.Type != gjson.String || !isWord(slug.Str) {
		return ""
	}
	return slug.Str
}

// TranscriptPath implements Agent.
func (g Gemini) TranscriptPath(home, top string, session id.SessionID) string {
	none := func(string) []byte { return nil }
	return filepath.Join(g.Folders(home, top, none)[0], g.FileName(session, nil))
}

// OwnsFile implements Agent: a name has the first eight characters of the ID.
func (Gemini) OwnsFile(name string, session id.SessionID) bool {
	stem, ok := geminiStem(name)
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

// FileName implements Agent: Gemini lists files of a name with a time and the
// first eight characters of the ID.
func (Gemini) FileName(session id.SessionID, transcript []byte) string {
	ending := ".json"
	if len(transcript) > 0 && !IsDocument(transcript) {
		ending = ".jsonl"
	}
	if start, err := time.Parse(time.RFC3339, geminiStart(transcript)); err == nil {
		return "session-" + start.UTC().Format("2006-01-02T15-04") + "-" + shortSession(session) + ending
	}
	return session.String() + ending
}

// geminiStart is when a transcript says it began, as written.
func geminiStart(transcript []byte) (start string) {
	head := transcript
	if !IsDocument(transcript) {
		head, _, _ = bytes.Cut(transcript, []byte("\n"))
	}
	eachMember(head, func(key, value []byte) {
		if string(key) == "startTime" {
			start = unquote(value)
		}
	})
	return start
}

// SubagentTranscripts implements Agent: subagents have a folder named for their
// session.
func (Gemini) SubagentTranscripts(transcript string, session id.SessionID, agentID string) []string {
	if transcript == "" || session.IsZero() || !isWord(agentID) {
		return nil
	}
	return []string{filepath.Join(filepath.Dir(transcript), session.String(), agentID+".jsonl")}
}

// sessionOf guesses the session from a transcript's name, which has only a part of
// the ID: what it gives is good for that session alone.
func (Gemini) sessionOf(transcript string) string {
	stem, ok := geminiStem(path.Base(strings.ReplaceAll(transcript, `\`, "/")))
	if !ok || strings.HasPrefix(stem, "session-") {
		return ""
	}
	return stem
}
