package feed

import (
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

// stored is what the store holds beyond the position. Lines and messages in it are not stored again.
type stored struct {
	messages     map[string]bool      // by UUID
	all          bool                 // messages holds every stored message
	conversation sessionMessages      // their order
	raw          map[string]*rawLines // by raw stream

	agents  map[string]string // subagent ID by message
	shorter map[string]bool   // subagents whose transcripts are read again
	seen    map[string]bool   // messages still in these transcripts
}

// loadStored reads what the store holds beyond the position, usually nothing. If the store holds less than
// the position says, files were lost, and every transcript is read again.
func (s *eventRun) loadStored() error {
	messages, raw := sizeOf(s.messages()), sizeOf(s.rawFile(""))
	if messages == s.pos.Messages && raw == s.pos.Main.Stored && s.agentsUnchanged() && (s.pos.Main.started() || !s.isFork()) {
		return nil
	}
	s.changed = true
	if messages < s.pos.Messages || raw < s.pos.Main.Stored || !s.pos.Main.started() {
		return s.restartAll()
	}
	if err := s.endRecords(); err != nil {
		return err
	}
	s.initKnown()
	if err := eachLine(log(s.messages()), s.pos.Messages, s.known.message); err != nil {
		return err
	}
	for aid, st := range s.streams() {
		if err := s.loadStoredStream(aid, st.Stored); err != nil {
			return err
		}
	}
	return nil
}

// isFork reports whether the session shares the beginning of another: its transcript has that part, too.
func (s *eventRun) isFork() bool {
	if s.forked == nil {
		meta, err := s.store.Metadata(s.ctx, s.sid)
		is := err == nil && meta.ParentID != ""
		s.forked = &is
	}
	return *s.forked
}

func (s *eventRun) messages() string { return filepath.Join(s.dir, "messages.jsonl") }

// initKnown initializes s.known.
func (s *eventRun) initKnown() {
	if s.known == nil {
		s.known = &stored{messages: map[string]bool{}, raw: map[string]*rawLines{}, shorter: map[string]bool{}, seen: map[string]bool{}}
	}
}

// streams returns the session's own stream under "" and those of its subagents.
func (s *eventRun) streams() map[string]*stream {
	out := map[string]*stream{"": &s.pos.Main}
	maps.Copy(out, s.pos.Agents)
	return out
}

// restartAll resets every transcript to its first line.
func (s *eventRun) restartAll() error {
	if err := s.endRecords(); err != nil {
		return err
	}
	for aid, st := range s.streams() {
		*st = stream{Path: st.Path}
		if err := s.loadStoredTranscript(aid); err != nil {
			return err
		}
	}
	return nil
}

// loadStoredTranscript reads what the store holds of a transcript that is read again.
func (s *eventRun) loadStoredTranscript(aid string) error {
	s.initKnown()
	s.changed = true
	if aid == "" {
		s.pos.Cost, s.pos.Turns = 0, 0
	}
	if err := s.loadStoredStream(aid, 0); err != nil || s.known.all {
		return err
	}
	return s.readHistory()
}

func (s *eventRun) loadStoredStream(aid string, from int64) error {
	raw := newRawLines(aid == "" && from == 0)
	raw.ofAny = aid == "" && s.isFork()
	s.known.raw[aid] = raw
	if aid == "" && from == 0 { // including the shared part of a fork
		for line, err := range s.store.SDKHistory(s.ctx, s.sid) {
			if err != nil {
				return err
			}
			raw.add(line.Record, line.End)
		}
		return nil
	}
	raw.records = s.streams()[aid].era()
	open := log(s.rawFile(aid))
	if aid != "" { // subagents' streams are never compressed
		open = func() (opened, error) { return durable.Open(s.agentFile(aid)) }
	}
	return eachLine(open, from, func(line []byte) { raw.add(line, 1<<62) })
}

func (s *eventRun) agentsUnchanged() bool {
	for aid, st := range s.pos.Agents {
		if sizeOf(s.agentFile(aid)) != st.Stored {
			return false
		}
	}
	return true
}

// message records a line of messages.jsonl.
func (k *stored) message(line []byte) {
	var m struct {
		UUID string `json:"uuid"`
	}
	if json.Unmarshal(line, &m) == nil {
		k.messages[m.UUID] = true
	}
}

// unknown returns the messages that are not stored yet.
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

// opened is a file with random access.
type opened interface {
	io.ReaderAt
	io.Closer
}

// log opens one of the session's own logs.
func log(path string) func() (opened, error) {
	return func() (opened, error) { return session.OpenLog(path) }
}

// eachLine calls fn with the complete lines of a file from an offset on.
func eachLine(open func() (opened, error), from int64, fn func([]byte)) error {
	f, err := open()
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

// endRecords adds the final newline that a killed process did not write to the session's files. The
// store itself handles torn records.
func (s *eventRun) endRecords() error {
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
	f, err := durable.OpenOwn(path, os.O_RDWR|os.O_APPEND)
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
