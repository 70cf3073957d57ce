package histories

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// A Host is where sessions work.
type Host interface {
	// Dir returns the folder of a worktree.
	Dir(wt int) string
	// Hook calls a hook of the session's agent.
	Hook(s *Session, verb string, payload map[string]any)
	// AsAgent does what a command of an agent's does, which is not at a terminal.
	AsAgent(do func())
}

// A Session is one session of an agent: it writes a transcript and calls hooks. It is one of Claude Code, whose
// transcript has a record on each line, or of Gemini CLI, whose transcript is one document.
type Session struct {
	Host Host
	Name string // as lines say who wrote them
	ID   string
	Path string // of the transcript; .json is a document of Gemini CLI's
	WT   int    // the worktree

	Turn  int
	Turns map[int]int // the turn by the number that a prompt gave it
	Open  bool        // in a turn

	Results *bool // results of calls show what was added
	Quiet   bool  // records have no IDs of requests

	number int // of records, so that each has a name
	said   []any
	result map[string]any // of the call that is about to be done
}

// Gemini reports a session of Gemini CLI.
func (s *Session) Gemini() bool { return strings.HasSuffix(s.Path, ".json") }

// Agent names the adapter whose hooks the session calls.
func (s *Session) Agent() string {
	if s.Gemini() {
		return "gemini"
	}
	return "claude-code"
}

func (s *Session) write(text string) {
	err := os.MkdirAll(filepath.Dir(s.Path), 0o755)
	if err == nil {
		flags := os.O_CREATE | os.O_WRONLY | os.O_APPEND
		if s.Gemini() {
			flags = os.O_CREATE | os.O_WRONLY | os.O_TRUNC
		}
		var f *os.File
		if f, err = os.OpenFile(s.Path, flags, 0o600); err == nil {
			_, err = f.WriteString(text)
			f.Close()
		}
	}
	Check("transcript", err)
}

// Tell calls a hook; more are the keys of its payload that not every hook has.
func (s *Session) Tell(verb string, more map[string]any) {
	payload := map[string]any{"session_id": s.ID, "transcript_path": s.Path, "cwd": s.Host.Dir(s.WT), "hook_event_name": verb}
	for key, v := range more {
		payload[key] = v
	}
	s.Host.Hook(s, verb, payload)
}

// Encode writes a value as JSON.
func Encode(v any) string {
	data, err := json.Marshal(v)
	Check("encode", err)
	return string(data)
}

// say adds one record to the transcript.
func (s *Session) say(kind string, message map[string]any) {
	s.number++
	if s.Gemini() {
		message["id"] = fmt.Sprintf("%08d-1111-4111-8111-111111111111", s.number)
		message["type"] = map[string]string{"user": "user", "assistant": "gemini"}[kind]
		if kind == "assistant" {
			message["tokens"] = map[string]any{"input": 3, "output": 20, "cached": 0, "total": 23}
		}
		s.said = append(s.said, message)
		s.write(Encode(map[string]any{"sessionId": s.ID, "startTime": "2026-01-02T03:04:05.000Z", "messages": s.said}))
		return
	}
	message["role"] = kind
	line := map[string]any{"type": kind, "uuid": fmt.Sprintf("%08d-2222-4222-8333-%012d", s.number, s.Turn),
		"sessionId": s.ID, "cwd": s.Host.Dir(s.WT), "message": message}
	if kind == "assistant" && !s.Quiet {
		line["requestId"] = fmt.Sprintf("req_%08d", s.number)
	}
	if r := message["toolUseResult"]; r != nil {
		line["toolUseResult"] = r
		delete(message, "toolUseResult")
	}
	s.write(Encode(line) + "\n")
}

// Start is the start of the agent's program: "startup", or "resume".
func (s *Session) Start(source string) {
	if s.number == 0 {
		s.write("")
	}
	s.Tell("session-start", map[string]any{"source": source})
}

// Prompt begins a turn, to which a sequence may give another number.
func (s *Session) Prompt(number string) {
	s.Turn++
	if n, err := strconv.Atoi(number); err == nil {
		s.Turns[n] = s.Turn
	}
	text := fmt.Sprintf("Please do what turn %d is about", s.Turn)
	s.Open = true
	s.Tell(map[bool]string{true: "before-agent", false: "user-prompt-submit"}[s.Gemini()], map[string]any{"prompt": text})
	s.say("user", map[string]any{"content": text})
}

// Stop ends a turn.
func (s *Session) Stop() {
	s.Open = false
	if s.Gemini() {
		s.say("assistant", map[string]any{"content": "Done."})
		s.Tell("after-agent", nil)
		return
	}
	s.say("assistant", map[string]any{"id": fmt.Sprintf("msg_end_%d", s.number), "model": "claude-sonnet-4-5", "content": []any{map[string]any{"type": "text", "text": "Done."}}})
	s.Tell("stop", map[string]any{"stop_hook_active": false})
}

// End is the end of the agent's program.
func (s *Session) End() {
	s.Open = false
	s.Tell("session-end", map[string]any{"reason": "exit"})
}
