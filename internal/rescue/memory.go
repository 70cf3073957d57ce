package rescue

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"strings"
	"sync"
	"time"

	"entire/agent"
	"entire/internal/durable"
)

// maxMemory bounds the file of a Memory, in bytes.
const maxMemory = 512 << 20

// A Memory is what earlier runs found out about conversations: what did not change since is not read again.
// Losing it loses nothing else. Several goroutines may use it.
type Memory struct {
	path    string
	mu      sync.Mutex
	of      map[string]Remembered // by place
	changed bool
}

// A Remembered is what is known of a conversation as it was.
type Remembered struct {
	Place string             `json:"place"` // the path, and in a database the session
	Mark  string             `json:"mark"`  // of the transcript: its size and time
	All   string             `json:"all"`   // the same, of all its files
	Facts agent.HistoryFacts `json:"facts"`
	First time.Time          `json:"first"`
	Last  time.Time          `json:"last"`
	// Done says what became of it: in which project's store it is, or which other session has all of it.
	Done Outcome `json:"done,omitzero"`
}

// An Outcome is what became of a conversation.
type Outcome struct {
	Project string `json:"project,omitempty"` // the key of the project whose store has it
	Within  string `json:"within,omitempty"`  // the session that has all of its messages
	// Mark is that of all files when this happened.
	Mark string `json:"mark,omitempty"`
}

// OpenMemory reads a memory. A file that is missing or damaged is an empty one.
func OpenMemory(path string) (*Memory, error) {
	m := &Memory{path: path, of: map[string]Remembered{}}
	data, err := durable.Read(path, maxMemory)
	if errors.Is(err, fs.ErrNotExist) {
		return m, nil
	}
	if err != nil {
		return m, err
	}
	for line := range bytes.Lines(data) {
		var r Remembered
		if json.Unmarshal(line, &r) == nil && r.Place != "" {
			m.of[r.Place] = r
		}
	}
	return m, nil
}

// placeOf names a conversation on the machine.
func placeOf(c *Conversation) string {
	if c.database != nil {
		return c.Path + "#" + c.Session
	}
	return c.Path
}

func markOf(size int64, at time.Time) string {
	text, err := json.Marshal([2]int64{size, at.UnixNano()})
	if err != nil {
		return ""
	}
	return strings.Trim(string(text), "[]")
}

// mark returns what changes with the transcript.
func (c *Conversation) mark() string {
	if len(c.Files) == 0 {
		return markOf(0, c.Last)
	}
	return markOf(c.Files[0].Size, c.Files[0].Changed)
}

// Mark returns what changes with any of the conversation's files.
func (c *Conversation) Mark() string {
	if len(c.Files) == 0 {
		return markOf(0, c.Last)
	}
	var size int64
	var latest time.Time
	for _, f := range c.Files {
		size += f.Size
		if f.Changed.After(latest) {
			latest = f.Changed
		}
	}
	return markOf(size, latest)
}

// recall sets what is known of an unchanged transcript, and reports whether it is.
func (m *Memory) recall(c *Conversation) bool {
	if m == nil {
		return false
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	r, ok := m.of[placeOf(c)]
	if !ok || r.Mark != c.mark() {
		return false
	}
	c.HistoryFacts, c.First, c.Last = r.Facts, r.First, r.Last
	return true
}

// Outcome returns what became of a conversation that has not changed since.
func (m *Memory) Outcome(c *Conversation) (Outcome, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	done := m.of[placeOf(c)].Done
	return done, done.Mark != "" && done.Mark == c.Mark()
}

// Note remembers a conversation, with what became of it unless that is zero.
func (m *Memory) Note(c *Conversation, done Outcome) {
	m.mu.Lock()
	defer m.mu.Unlock()
	r := Remembered{Place: placeOf(c), Mark: c.mark(), All: c.Mark(), Facts: c.HistoryFacts, First: c.First, Last: c.Last, Done: done}
	if was, ok := m.of[r.Place]; ok && done == (Outcome{}) {
		r.Done = was.Done
	}
	if m.of[r.Place] != r {
		m.of[r.Place], m.changed = r, true
	}
}

// Save writes the memory, if it has changed.
func (m *Memory) Save() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.changed {
		return nil
	}
	var out bytes.Buffer
	to := json.NewEncoder(&out)
	for _, r := range m.of {
		if err := to.Encode(r); err != nil {
			return err
		}
	}
	if err := durable.WriteCache(m.path, out.Bytes(), 0o600); err != nil {
		return err
	}
	m.changed = false
	return nil
}
