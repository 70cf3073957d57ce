package feed

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"

	"entire/agent"
	"entire/internal/durable"
	"entire/session"
)

// stored is what the store has beyond a position: what comes again from a
// transcript is not stored again.
type stored struct {
	messages map[string]bool           // by UUID
	all      bool                      // they are all there are
	lines    map[string]map[string]int // of a raw stream, how often each is there
	fresh    map[string]bool           // of a raw stream: the line before was new
}

// recall finds out what the store holds beyond the position. Usually that is
// nothing. Where the store holds less than the position says, files were lost,
// and everything is read again.
func (s *sitting) recall() error {
	messages, raw := sizeOf(s.messages()), sizeOf(s.rawFile(""))
	if messages == s.pos.Messages && raw == s.pos.Main.Stored && s.agentsAsLeft() {
		return nil
	}
	s.moved = true
	if messages < s.pos.Messages || raw < s.pos.Main.Stored || !s.pos.Main.begun() {
		return s.recallAll()
	}
	if err := s.endRecords(); err != nil {
		return err
	}
	s.knows()
	if err := eachLine(s.messages(), s.pos.Messages, s.known.message); err != nil {
		return err
	}
	for aid, st := range s.streams() {
		if err := s.recallStream(aid, st.Stored); err != nil {
			return err
		}
	}
	return nil
}

func (s *sitting) messages() string { return filepath.Join(s.dir, "messages.jsonl") }

// knows makes room for what is known.
func (s *sitting) knows() {
	if s.known == nil {
		s.known = &stored{messages: map[string]bool{}, lines: map[string]map[string]int{}, fresh: map[string]bool{}}
	}
}

// streams are the session's own and its subagents'.
func (s *sitting) streams() map[string]*stream {
	out := map[string]*stream{"": &s.pos.Main}
	maps.Copy(out, s.pos.Agents)
	return out
}

// recallAll has every transcript read from its first line.
func (s *sitting) recallAll() error {
	if err := s.endRecords(); err != nil {
		return err
	}
	for aid, st := range s.streams() {
		*st = stream{Path: st.Path}
		if err := s.recallAgain(aid); err != nil {
			return err
		}
	}
	return nil
}

// recallAgain is for a transcript that is read again: what the store has of it is
// known.
func (s *sitting) recallAgain(aid string) error {
	s.knows()
	s.moved = true
	if aid == "" {
		s.pos.Cost, s.pos.Turns = 0, 0
	}
	if err := s.recallStream(aid, 0); err != nil || s.known.all {
		return err
	}
	s.known.all = true
	for m, err := range s.store.Messages(s.ctx, s.sid) {
		var bad *session.BadLineError
		if err != nil && !errors.As(err, &bad) {
			return err
		}
		if err == nil {
			s.known.messages[m.UUID] = true
		}
	}
	return nil
}

func (s *sitting) recallStream(aid string, from int64) error {
	counts := map[string]int{}
	s.known.lines[aid] = counts
	note := func(line []byte) { counts[digest(line)]++ }
	if aid == "" && from == 0 { // of a fork, what it shares as well
		for line, err := range s.store.SDKMessages(s.ctx, s.sid) {
			var bad *session.BadLineError
			switch {
			case err == nil:
				note(line)
			case errors.As(err, &bad):
			default:
				return err
			}
		}
		return nil
	}
	return eachLine(s.rawFile(aid), from, note)
}

func (s *sitting) agentsAsLeft() bool {
	for aid, st := range s.pos.Agents {
		if sizeOf(s.agentFile(aid)) != st.Stored {
			return false
		}
	}
	return true
}

// message takes note of a line of messages.jsonl.
func (k *stored) message(line []byte) {
	var m struct {
		UUID string `json:"uuid"`
	}
	if json.Unmarshal(line, &m) == nil {
		k.messages[m.UUID] = true
	}
}

// unknown are the messages that are not stored yet.
func (k *stored) unknown(messages []agent.Message) []agent.Message {
	if k == nil {
		return messages
	}
	var out []agent.Message
	for _, m := range messages {
		if !k.messages[m.UUID] {
			out = append(out, m)
		}
	}
	return out
}

// has reports whether a line of a raw stream is stored already, once for each
// time that it is. A line that has no UUID may be the same as any other: after
// a line that is new, it is new.
func (k *stored) has(aid string, line []byte) bool {
	if k == nil {
		return false
	}
	d := digest(line)
	if k.lines[aid][d] == 0 || k.fresh[aid] && !bytes.Contains(line, []byte(`"uuid"`)) {
		k.fresh[aid] = true
		return false
	}
	k.lines[aid][d]--
	k.fresh[aid] = false
	return true
}

// eachLine calls fn with the complete lines of a file from an offset on.
func eachLine(path string, from int64, fn func([]byte)) error {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = agent.Lines(io.NewSectionReader(f, from, 1<<62), func(line []byte) error {
		fn(line)
		return nil
	})
	return err
}

// endRecords gives the last records of the session's files the newlines that a
// killed process did not come to write. Whatever else it left is for the store to
// put aside.
func (s *sitting) endRecords() error {
	lock, err := durable.AcquireWithin(filepath.Join(s.dir, "lock"), lockWait) // the store's
	if err != nil {
		return err
	}
	defer lock.Release()
	for _, path := range []string{s.messages(), s.rawFile("")} {
		if err := endRecord(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

func endRecord(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_APPEND, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	end, size, err := lastLine(f)
	if err != nil || end == size {
		return err
	}
	rest := make([]byte, size-end)
	if _, err := f.ReadAt(rest, end); err != nil {
		return err
	}
	if rest[0] != '{' || !json.Valid(rest) {
		return nil
	}
	_, err = f.Write([]byte{'\n'})
	return err
}
