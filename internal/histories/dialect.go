package histories

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// A Dialect is how the program of one agent writes its transcript and calls our hooks. The forms are those of
// transcripts and payloads of the real programs.
type Dialect struct {
	Agent                    string // the adapter
	Start, Prompt, Stop, End string // the verbs of its hooks; "" if there is none
	Keeps                    bool   // the transcript is one document, which is kept in a file
	AsksFirst                bool   // the hook of a prompt is called when the transcript has it

	path func(home, id string) string
	id   func(id string) string // makes a session's ID one of this agent

	payload func(s *Session) map[string]any  // what every hook is told
	atStart func(s *Session) map[string]any  // what the start of a turn is told besides
	again   func(s *Session) map[string]any  // and what it is told by a program that was killed in the turn before
	atEnd   func(s *Session) map[string]any  // what the end of a turn is told besides
	before  func(s *Session, command string) // calls the hooks before a command
	// begins and ends call the hooks of a call.
	begins, ends func(s *Session, c *call)
	// document is the whole transcript, if it is no list of lines.
	document func(s *Session) any

	begun    func(s *Session) []any // the records of a session that has begun
	asked    func(s *Session, text string) []any
	answered func(s *Session, text string) []any
	called   func(s *Session, c *call) []any
	returned func(s *Session, c *call) []any
}

// Dialects are those of all agents with their own way to write.
var Dialects = []*Dialect{Claude, Gemini, Codex, Qwen, Droid, Copilot, Cursor, Pi, OpenCode, Kilo, Cline, Generic}

// DialectOf is the dialect of an agent, nil for one that has none.
func DialectOf(agent string) *Dialect {
	for _, d := range Dialects {
		if d.Agent == agent {
			return d
		}
	}
	return nil
}

// MayHold reports whether the agent tells a turn only at its end, if its transcript is late: a document is written at
// once, or asked for, and hooks tell calls before.
func (d *Dialect) MayHold() bool { return d.document == nil && d.begins == nil }

// Begin makes a session one of this dialect, in a home folder.
func (d *Dialect) Begin(s *Session, home string) {
	s.Dialect = d
	if d.id != nil {
		s.ID = d.id(s.ID)
	}
	if d.path != nil {
		s.Path = filepath.Join(home, filepath.FromSlash(d.path("", s.ID)))
	}
}

// unified returns the hunks of the difference of two texts, as git prints them.
func unified(was, now string) string {
	dir, err := os.MkdirTemp("", "unified")
	Check("difference", err)
	defer os.RemoveAll(dir)
	for name, text := range map[string]string{"a": was, "b": now} {
		Check("difference", os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	cmd := exec.Command("git", "diff", "--no-index", "--no-color", "--no-ext-diff", "--text", "a", "b")
	cmd.Dir = dir
	out, _ := cmd.Output() // it fails if they differ
	_, hunks, found := strings.Cut(string(out), "\n@@")
	if !found {
		return ""
	}
	return "@@" + hunks
}
