package histories

import (
	"encoding/json"
	"fmt"
	"maps"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"
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

// A Session is one session of an agent: it writes a transcript and calls hooks.
type Session struct {
	Host    Host
	Dialect *Dialect // of the agent; nil is Claude Code's
	Name    string   // as lines say who wrote them
	ID      string
	Path    string // of the transcript
	WT      int    // the worktree

	Turn  int
	Turns map[int]int // the turn by the number that a prompt gave it
	Open  bool        // in a turn

	Results *bool // results of calls show what was added
	Quiet   bool  // records have no IDs of requests
	Holds   bool  // lines reach the transcript only at the end of their turn

	number int // of records, so that each has a name
	held   strings.Builder
	said   []any        // the messages of a transcript that is one document
	saying sync.Mutex   // held while they change, and while the socket tells them
	root   string       // where it began, for an agent that stays there
	ear    net.Listener // the socket
}

func (s *Session) dialect() *Dialect {
	if s.Dialect == nil {
		return Claude
	}
	return s.Dialect
}

// Agent names the adapter whose hooks the session calls.
func (s *Session) Agent() string { return s.dialect().Agent }

// write writes to the transcript: the whole document, or what is added to the lines.
func (s *Session) write(text string, anew bool) {
	err := os.MkdirAll(filepath.Dir(s.Path), 0o755)
	if err == nil {
		flags := os.O_CREATE | os.O_WRONLY | os.O_APPEND
		if anew {
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
	if d := s.dialect(); d.payload != nil {
		payload = d.payload(s)
	}
	maps.Copy(payload, more)
	s.Host.Hook(s, verb, payload)
}

// Encode writes a value as JSON.
func Encode(v any) string {
	data, err := json.Marshal(v)
	Check("encode", err)
	return string(data)
}

// add adds records to the transcript.
func (s *Session) add(records ...any) {
	d := s.dialect()
	if d.document != nil {
		s.saying.Lock()
		s.said = append(s.said, records...)
		s.saying.Unlock()
		if d.Keeps {
			s.write(Encode(d.document(s)), true)
		}
		return
	}
	var text strings.Builder
	for _, r := range records {
		text.WriteString(Encode(r) + "\n")
	}
	if s.held.WriteString(text.String()); s.Holds && s.Open {
		return
	}
	s.write(s.held.String(), false)
	s.held.Reset()
}

// stamp is the time of a record.
func stamp() string { return time.Now().UTC().Format("2006-01-02T15:04:05.000Z") }

// next is the number of the next record.
func (s *Session) next() int {
	s.number++
	return s.number
}

// Start is the start of the agent's program: "startup", or "resume".
func (s *Session) Start(source string) {
	d := s.dialect()
	if s.number == 0 && (d.document == nil || d.Keeps) {
		s.write("", false)
	}
	if s.number == 0 && d.begun != nil {
		s.add(d.begun(s)...)
	}
	if d.Start != "" {
		s.Tell(d.Start, map[string]any{"source": source})
	}
}

// Prompt begins a turn, to which a sequence may give another number.
func (s *Session) Prompt(number string) {
	s.Turn++
	if n, err := strconv.Atoi(number); err == nil {
		s.Turns[n] = s.Turn
	}
	text := fmt.Sprintf("Please do what turn %d is about", s.Turn)
	d, killed := s.dialect(), s.Open
	s.Open = true
	if d.AsksFirst {
		s.add(d.asked(s, text)...)
	}
	more := map[string]any{"prompt": text}
	if d.atStart != nil {
		maps.Copy(more, d.atStart(s))
	}
	if killed && d.again != nil {
		maps.Copy(more, d.again(s))
	}
	s.Tell(d.Prompt, more)
	if !d.AsksFirst {
		s.add(d.asked(s, text)...)
	}
}

// Stop ends a turn.
func (s *Session) Stop() {
	s.Open = false
	d := s.dialect()
	s.add(d.answered(s, "Done.")...)
	more := map[string]any{}
	if d.atEnd != nil {
		more = d.atEnd(s)
	}
	s.Tell(d.Stop, more)
	s.unlisten()
}

// End is the end of the agent's program.
func (s *Session) End() {
	s.Open = false
	if end := s.dialect().End; end != "" {
		s.Tell(end, map[string]any{"reason": "exit"})
	}
}
