package feed

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/tidwall/gjson"

	"entire/agent"
	"entire/agent/agents"
	"entire/agent/document"
	"entire/internal/durable"
	"entire/session"
)

// batchBytes of raw text go to the store at once. After flushBytes the position is saved.
const (
	batchBytes = 256 << 10
	flushBytes = 16 << 20
)

// batch is what goes to the store at once.
type batch struct {
	messages []agent.Message
	raw      []byte // lines of the session's own stream
	agentRaw []byte // lines of the subagent's stream
	taken    int    // raw bytes read since the position was saved
	scratch  []agent.Message
}

// readMain reads the session's transcript.
func (s *eventRun) readMain() error {
	path := s.transcript()
	if path == "" {
		return nil
	}
	f, err := durable.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // it does not exist yet, or no longer
	}
	if err != nil {
		return err
	}
	defer f.Close()
	if agents.CountsMessages(s.ev.AgentType) && document.Begins(f) {
		return s.readDocument(f, path)
	}
	return s.readStream("", &s.pos.Main, f, path)
}

// transcript returns the path of the transcript that the agent, the caller or the feed keeps.
func (s *eventRun) transcript() string {
	switch {
	case s.ev.TranscriptPath != "":
		return s.ev.TranscriptPath
	case s.pos.Main.Path != "":
		return s.pos.Main.Path
	case s.OwnTranscript != "":
		return s.OwnTranscript
	}
	return filepath.Join(s.dir, ownTranscriptName)
}

// readStream reads a transcript of lines from the saved position. It starts again at the first line if
// the file no longer begins with what was read.
func (s *eventRun) readStream(aid string, st *stream, f *os.File, path string) error {
	fi, err := f.Stat()
	if err != nil {
		return err
	}
	if fi.Size() == 0 {
		return nil // emptied: its content is stored
	}
	copied := st.Path != path
	if !st.continues(f) || st.Rewound && fi.Size() != st.Offset {
		if err := s.restart(aid, st); err != nil {
			return err
		}
	}
	if st.Path != path {
		st.Path, s.changed = path, true
	}
	if fi.Size() == st.Offset && !(s.told && aid == "" && st.started()) {
		return nil
	}
	if _, err := st.loadNormalizer(); err != nil { // damaged position
		if err := s.restart(aid, st); err != nil {
			return err
		}
	}
	s.addUsage(st, path)
	if s.reread != nil && aid == "" {
		s.reread.copy = copied
	}
	if s.batch.raw == nil && aid == "" {
		s.batch.raw = make([]byte, 0, min(fi.Size()-st.Offset, batchBytes)+batchBytes/4)
	}
	_, unread := agent.Lines(io.NewSectionReader(f, st.Offset, fi.Size()-st.Offset), func(line []byte) error { return s.line(aid, st, f, line) })
	st.Edges, err = agent.EdgeDigest(f, st.Offset)
	return errors.Join(err, unread)
}

// restart starts reading at the first line. What the store holds of the transcript is not stored
// again.
func (s *eventRun) restart(aid string, st *stream) error {
	path := st.Path
	if st.started() {
		if err := s.loadStoredTranscript(aid); err != nil {
			return err
		}
	}
	st.reset(s.ev.AgentType)
	st.Path, s.changed = path, true
	switch {
	case s.known == nil || !s.known.all || s.adopting:
	case aid == "":
		s.reread = &reread{was: s.known.conversation.tip}
	default:
		s.known.shorter[aid] = true
	}
	return nil
}

// line processes one line of a transcript.
func (s *eventRun) line(aid string, st *stream, f *os.File, line []byte) error {
	clean := s.Redact(line)
	era, known := s.stored(aid, st, clean)
	if !known {
		if aid == "" && s.reread != nil && !s.reread.streamOver {
			if err := s.firstNew(io.NewSectionReader(f, st.Offset, 1<<62), true); err != nil {
				return err
			}
			era = s.known.raw[""].records
		}
		to := &s.batch.raw
		if aid != "" {
			to = &s.batch.agentRaw
		}
		*to = append(append(*to, clean...), '\n')
	}
	s.batch.scratch = st.normalizer.AddLine(s.batch.scratch[:0], clean)
	if aid != "" { // not every agent marks the messages of its subagents
		for i := range s.batch.scratch {
			s.batch.scratch[i].Sidechain, s.batch.scratch[i].AgentID = true, aid
		}
	}
	st.rename(s.batch.scratch, era)
	if s.noteMessages(aid, s.batch.scratch) { // the line is stored but its message is not
		if err := s.firstNew(io.NewSectionReader(f, st.Offset, 1<<62), false); err != nil {
			return err
		}
	}
	s.addMessages(s.batch.scratch)
	s.changed = true
	if aid == "" {
		s.noteDetails(clean)
	}
	st.Offset += int64(len(line)) + 1
	s.batch.taken += len(line) + 1
	if len(s.batch.raw)+len(s.batch.agentRaw) < batchBytes && len(s.batch.messages) < 1000 {
		return nil
	}
	if err := s.ctx.Err(); err != nil {
		return err
	}
	if err := s.flush(nil); err != nil {
		return err
	}
	if aid != "" {
		if err := s.appendAgentRaw(aid); err != nil {
			return err
		}
	}
	if s.batch.taken < flushBytes {
		return nil
	}
	s.batch.taken = 0
	var err error
	if st.Edges, err = agent.EdgeDigest(f, st.Offset); err != nil {
		return err
	}
	if s.known != nil {
		return nil // the position does not record what the store holds beyond it
	}
	return s.flushAndSave()
}

// stored reports whether a line is in the store, and the era in which it was written.
func (s *eventRun) stored(aid string, st *stream, line []byte) (era int, known bool) {
	if s.known == nil || s.known.raw[aid] == nil {
		return st.era(), false
	}
	return s.known.raw[aid].has(line)
}

// addMessages adds messages to the batch.
func (s *eventRun) addMessages(messages []agent.Message) {
	for i := range messages {
		m := &messages[i]
		s.noteTools(m)
		if s.begun.IsZero() || m.Timestamp.Before(s.begun) {
			s.begun = m.Timestamp
		}
		if m.IsPrompt() {
			s.pos.Turns++
			s.pos.Titled = true
		}
		if s.pos.Main.Doc != "" && m.AgentID == "" {
			s.pos.Tip = m.UUID
		}
	}
	s.batch.messages = append(s.batch.messages, s.known.unknown(messages)...)
}

// noteDetails finds what a line says beyond its messages: subagents, and the cost.
func (s *eventRun) noteDetails(line []byte) {
	if bytes.Contains(line, []byte(`"agentId"`)) {
		s.noteAgent(gjson.GetBytes(line, "toolUseResult.agentId").String())
	}
	if i := bytes.Index(line, []byte(branchKey)); i >= 0 {
		s.noteBranch(gjson.ParseBytes(line[i+len(branchKey)-1:]).Str)
	}
	switch {
	case bytes.Contains(line, []byte(`_cost_usd"`)): // total cost so far
		if v := gjson.GetBytes(line, "total_cost_usd"); v.Type == gjson.Number && v.Num > s.pos.Cost {
			s.pos.Cost = v.Num
		}
	case bytes.Contains(line, []byte(`USD"`)): // cost of one answer
		if v := gjson.GetBytes(line, "costUSD"); v.Type == gjson.Number && v.Num > 0 {
			s.pos.Cost += v.Num
		}
	}
}

// flush writes the batch and a change of the metadata to the store.
func (s *eventRun) flush(update func(*session.SessionMetadata)) error {
	b := &s.batch
	if s.adopting {
		b.messages, b.raw = nil, nil
	}
	// Without cancellation: what was read is stored even after the deadline.
	err := s.store.AppendBatch(context.WithoutCancel(s.ctx), s.sid, session.Batch{Messages: b.messages, Raw: b.raw, Update: update})
	s.lost = s.lost || err != nil
	b.messages, b.raw = b.messages[:0], b.raw[:0] // the store has copied them
	return err
}

// readDocument reads a transcript that is one JSON document, which its agent rewrites in place. It
// replaces the store's copy. A document that is incomplete because the agent is writing it waits for
// the next event.
func (s *eventRun) readDocument(f *os.File, path string) error {
	raw, err := io.ReadAll(io.LimitReader(f, agent.MaxTranscript+1))
	if err != nil {
		return err
	}
	if len(raw) > agent.MaxTranscript {
		return fmt.Errorf("%s is larger than %d bytes", path, agent.MaxTranscript)
	}
	st := &s.pos.Main
	copied := st.Path != path
	sum := digest(raw)
	if st.Doc == sum && st.Path == path && s.known == nil {
		return nil
	}
	normalizer, err := st.loadNormalizer()
	if err != nil || st.Doc == "" {
		if err := s.restart("", st); err != nil {
			return err
		}
		normalizer = st.normalizer
	}
	clean := s.Redact(raw)
	messages, err := normalizer.AddDocument(clean)
	if err != nil {
		return err
	}
	if st.Rewound || !s.onlyAppended(clean, messages) {
		if err := s.restart("", st); err != nil {
			return err
		}
		if messages, err = st.normalizer.AddDocument(clean); err != nil {
			return err
		}
		if s.reread != nil {
			s.reread.copy = copied
		}
		if err := s.firstNewInDocument(messages); err != nil {
			return err
		}
	}
	if err := durable.WriteCache(filepath.Join(s.dir, documentName), clean, 0o600); err != nil {
		return err
	}
	s.changed = true
	st.Path, st.Doc, st.Offset = path, sum, int64(len(raw))
	s.addMessages(messages)
	return nil
}
