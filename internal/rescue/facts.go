package rescue

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/klauspost/compress/zstd"

	"entire/agent"
	"entire/agent/agents"
	"entire/internal/durable"
)

const (
	firstHead = 32 << 10 // read of every conversation
	maxHead   = 1 << 20  // read of one that has not told its folder until then
	tailBytes = 32 << 10
	maxNote   = 1 << 20
	packed    = ".zst"
)

// facts completes a conversation with what its files say.
func (s *search) facts(c *Conversation) {
	a, _ := agents.ByType(c.Agent)
	h := a.(agent.Historian)
	c.Last = c.Files[0].Changed
	named := c.Session
	for _, f := range c.Files {
		if f.Kind == agent.HistoryNote {
			c.Add(h.HistoryFacts(s.content(f.Path)))
		}
	}
	if err := s.readEnds(h, c); err != nil {
		s.problem(c.Path, err)
	}
	if named != "" {
		c.Session = named // hooks know it by this one
	}
	if c.Folder == "" && c.place.Folder != nil {
		c.Folder = c.place.Folder(c.rel, s.content)
	}
	if c.First = c.Time; c.First.IsZero() {
		c.First = c.Last
	}
}

// readEnds reads the beginning of a conversation, and of its end when that was.
func (s *search) readEnds(h agent.Historian, c *Conversation) error {
	f, err := durable.Open(c.Path)
	if err != nil {
		return err
	}
	defer f.Close()
	if strings.HasSuffix(c.Path, packed) {
		dec, err := zstd.NewReader(f, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(128<<20))
		if err != nil {
			return err
		}
		defer dec.Close()
		return readHead(h, c, dec)
	}
	if strings.HasSuffix(c.Path, ".vscdb") {
		return nil
	}
	if err := readHead(h, c, f); err != nil {
		return err
	}
	if at := lastTime(h, f, c.Files[0].Size); !at.IsZero() {
		c.Last = at
	}
	return nil
}

func readHead(h agent.Historian, c *Conversation, in io.Reader) error {
	var head []byte
	for size := firstHead; size <= maxHead; size *= 4 {
		more := make([]byte, size-len(head))
		n, err := io.ReadFull(in, more)
		head = append(head, more[:n]...)
		tellFrom(h, c, head)
		if c.Folder != "" && c.Session != "" && !c.Time.IsZero() {
			return nil
		}
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// tellFrom adds what the lines of a transcript's beginning say, or the document that it is.
func tellFrom(h agent.Historian, c *Conversation, head []byte) {
	for line := range bytes.Lines(head) {
		if line = bytes.TrimSpace(line); len(line) > 0 {
			facts := h.HistoryFacts(line)
			if c.Session != "" {
				facts.Session = ""
			}
			c.Add(facts)
		}
		if string(line) == "{" { // a document over several lines
			c.Add(h.HistoryFacts(head))
			return
		}
	}
}

// lastTime returns the time in the last line that has one, zero for none.
func lastTime(h agent.Historian, f *os.File, size int64) time.Time {
	tail := make([]byte, min(size, tailBytes))
	n, err := f.ReadAt(tail, size-int64(len(tail)))
	if err != nil && !errors.Is(err, io.EOF) {
		return time.Time{}
	}
	lines := bytes.Split(bytes.TrimSpace(tail[:n]), []byte("\n"))
	if size > tailBytes {
		lines = lines[1:] // not whole
	}
	for _, line := range slices.Backward(lines) {
		if at := h.HistoryFacts(line).Time; !at.IsZero() {
			return at
		}
	}
	return time.Time{}
}

// content returns a small file's content, nil for none.
func (s *search) content(path string) []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	if data, known := s.read[path]; known {
		return data
	}
	data, err := durable.Read(path, maxNote)
	if err != nil {
		data = nil
	}
	s.read[path] = data
	return data
}

// keeps returns how long the agent keeps the conversations of a place.
func (s *search) keeps(place *agent.HistoryPlace) time.Duration {
	if place.Keeps == nil {
		return 0
	}
	for _, path := range place.Settings {
		if data := s.content(path); data != nil {
			return place.Keeps(data)
		}
	}
	return place.Keeps(nil)
}

// partsLater gives parts to conversations whose session only their transcript tells.
func (s *search) partsLater(first int, parts map[string][]File) {
	if len(parts) == 0 {
		return
	}
	for i := first; i < len(s.Conversations); i++ {
		if c := &s.Conversations[i]; c.Session == "" {
			if !s.Memory.recall(c) {
				s.facts(c)
			}
			for _, f := range parts[c.Session] {
				c.Files, c.Size = append(c.Files, f), c.Size+f.Size
			}
		}
	}
}

// guessFolders sets the folder of conversations that do not tell it, where the agent names the place of a
// transcript by the working folder: one of the folders that others were in.
func (s *search) guessFolders() {
	folders := map[string]bool{}
	for i := range s.Conversations {
		if f := s.Conversations[i].Folder; f != "" {
			folders[f] = true
		}
	}
	of := map[agent.AgentType]map[string]string{}
	for i := range s.Conversations {
		c := &s.Conversations[i]
		if c.Folder != "" || c.database != nil || c.Unread != "" {
			continue
		}
		if of[c.Agent] == nil {
			of[c.Agent] = s.placesOf(c.Agent, folders)
		}
		for dir := filepath.Dir(c.Path); dir != filepath.Dir(dir) && c.Folder == ""; dir = filepath.Dir(dir) {
			c.Folder = of[c.Agent][dir]
		}
	}
}

// placesOf returns the working folder for each folder that may hold its transcripts.
func (s *search) placesOf(t agent.AgentType, folders map[string]bool) map[string]string {
	out := map[string]string{}
	a := agents.For(t)
	for folder := range folders {
		for _, at := range a.Folders(s.Home, folder, s.content) {
			if at != a.TranscriptRoot(s.Home) {
				out[at] = folder
			}
		}
	}
	return out
}
