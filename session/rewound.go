package session

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"

	"entire/agent"
	"entire/id"

	"github.com/tidwall/gjson"
)

// This file reads logs in which a conversation was taken back. Nothing in a log is
// ever removed: a record says where the conversation stands from there on, and what
// it left behind stays where it is.

// ErrNoRewind is returned where a conversation cannot be taken back to a message.
var ErrNoRewind = errors.New("the conversation cannot be taken back to there")

// A span is a stretch of a log, in bytes from the beginning of its first part.
type span struct{ from, to int64 }

// A view is what of a log a conversation consists of: all of it for a nil one.
type view struct {
	spans []span
	parts []int64 // where each part begins
}

// has reports whether the line that ends at end in a part belongs to it.
func (v *view) has(part int, end int64) bool {
	if v == nil {
		return true
	}
	pos := v.parts[part] + end
	i, _ := slices.BinarySearchFunc(v.spans, pos, func(s span, pos int64) int {
		if s.to < pos {
			return -1
		}
		return 1
	})
	return i < len(v.spans) && v.spans[i].from < pos
}

// An era is what a log holds between two records: the conversation is then base
// and what follows start.
type era struct {
	base  []span
	start int64
}

// upTo is the conversation as it was when the log ended at pos.
func eraUpTo(eras []era, pos int64) []span {
	i := len(eras) - 1
	for i > 0 && eras[i].start >= pos {
		i--
	}
	if pos <= eras[i].start {
		return eras[i].base
	}
	return append(slices.Clip(eras[i].base), span{eras[i].start, pos})
}

// rewoundTo reads the record that a line of a log is: to where it takes the
// conversation back, given where lines of a name end; -1 for nowhere.
type rewoundTo func(line []byte, ends func(name string) (int64, bool)) (pos int64, is bool)

// viewOf reads a log and finds out which of its lines make the conversation, as it
// is when the log ends at last: -1 for all of it.
func viewOf(ctx context.Context, list []part, last int64, names bool, record rewoundTo) (*view, error) {
	v := &view{parts: partStarts(list)}
	eras := []era{{}}
	ends := map[string]int64{}
	find := func(name string) (int64, bool) { end, ok := ends[name]; return end, ok }
	var pos int64
	for line, err := range eachLine(ctx, list, 0) {
		if err != nil {
			return nil, err
		}
		end := v.parts[line.part] + line.end
		if last >= 0 && end > last {
			break
		}
		pos = end
		if to, is := record(line.data, find); is {
			if here := v.parts[line.part] + line.at; to < 0 || to > here { // of nothing that is here
				to = here
			}
			eras = append(eras, era{eraUpTo(eras, to), end})
			continue
		}
		if names {
			ends[gjson.GetBytes(line.data, "uuid").Str] = end
		}
	}
	v.spans = eraUpTo(eras, pos)
	if last < 0 {
		last := eras[len(eras)-1]
		v.spans = append(slices.Clip(last.base), span{last.start, 1 << 62})
	}
	v.spans = slices.DeleteFunc(v.spans, func(s span) bool { return s.from >= s.to })
	return v, nil
}

// partStarts is where each part of a log begins.
func partStarts(list []part) []int64 {
	starts := make([]int64, len(list))
	for i := 1; i < len(list); i++ {
		starts[i] = starts[i-1] + list[i-1].bytes
	}
	return starts
}

// messageRecord reads a record of messages.jsonl.
func messageRecord(line []byte, ends func(string) (int64, bool)) (int64, bool) {
	if !bytes.Contains(line, []byte(`"rewind":`)) {
		return 0, false
	}
	m, err := parseMessage(line)
	if err != nil || m.Rewind == nil {
		return 0, false
	}
	if m.Rewind.To == "" {
		return 0, true
	}
	pos, known := ends(m.Rewind.To)
	if !known {
		return -1, true
	}
	return pos, true
}

// streamRecord reads a record of transcript.jsonl.
func streamRecord(line []byte, _ func(string) (int64, bool)) (int64, bool) {
	n, is := RewoundTo(line)
	return n, is
}

// rewindRecord begins a record of transcript.jsonl.
const rewindRecord = `{"entire_rewind":{"bytes":`

// StreamRewind is the record of a transcript.jsonl which says that the stream goes
// on from where its first n bytes end, without a newline.
func StreamRewind(n int64) []byte { return fmt.Appendf(nil, "%s%d}}", rewindRecord, n) }

// RewoundTo reads such a record.
func RewoundTo(line []byte) (n int64, is bool) {
	if !bytes.HasPrefix(line, []byte(rewindRecord)) {
		return 0, false
	}
	return gjson.GetBytes(line, "entire_rewind.bytes").Int(), true
}

// messageView is the view of a session's messages; nil if nothing was ever taken
// back. last is where the log is to end, -1 for where it does.
func messageView(ctx context.Context, list []part, rewinds int, last int64) (*view, error) {
	if rewinds == 0 {
		return nil, nil
	}
	return viewOf(ctx, list, last, true, messageRecord)
}

// An Entry is a message of everything that was ever said in a session.
type Entry struct {
	Message
	// Rewound says that the conversation was taken back to before it.
	Rewound bool
}

// History streams everything that was ever said: what was taken back as well, and
// the records that say so. Damaged lines come as by Messages.
func (s *Store) History(ctx context.Context, sessionID string) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		list, v, err := s.openView(ctx, sessionID)
		if err != nil {
			yield(Entry{}, fmt.Errorf("read session %.100s: %w", sessionID, err))
			return
		}
		for m, err := range eachSaid(ctx, list, 0) {
			if err != nil {
				err = fmt.Errorf("read session %s: %w", sessionID, err)
			}
			if !yield(Entry{m.Message, m.Rewind == nil && !v.has(m.part, m.end)}, err) {
				return
			}
		}
	}
}

// openView is openLog for the messages, with what of them the conversation is.
func (s *Store) openView(ctx context.Context, sessionID string) ([]part, *view, error) {
	list, err := s.openLog(ctx, sessionID, messageStream)
	if err != nil {
		return nil, nil, err
	}
	meta, err := s.metadata(ctx, sessionID)
	if err != nil {
		return nil, nil, err
	}
	v, err := messageView(ctx, list, meta.Rewinds, -1)
	return list, v, err
}

// onlyIn takes out of a stream what is not in the view.
func (v *view) onlyIn(in iter.Seq2[said, error]) iter.Seq2[said, error] {
	if v == nil {
		return in
	}
	return func(yield func(said, error) bool) {
		for m, err := range in {
			if (err == nil || isBad(err)) && !v.has(m.part, m.end) {
				continue
			}
			if !yield(m, err) {
				return
			}
		}
	}
}

// placeOf is where the message uuid ends in a log, with those that are pieces of
// the same record of the agent's; ErrNoMessage if it is not there.
func placeOf(ctx context.Context, list []part, uuid string) (int64, error) {
	starts := partStarts(list)
	end := int64(-1)
	for m, err := range upTo(eachSaid(ctx, list, 0), uuid) {
		if err != nil && !isBad(err) {
			return 0, err
		}
		end = starts[m.part] + m.end
	}
	return end, nil
}

// Rewind records that the conversation was taken back to after the message to, ""
// for its beginning, and goes on from there. The message may be one that was taken
// back itself: the conversation is then what it was when that was the last, so that
// what a rewind took back comes again with its last message. why is for people to
// read. What is there to read afterwards is said by [Store.Messages]; everything is
// still there, see [Store.History]. ErrNoRewind if there is no such message.
func (s *Store) Rewind(ctx context.Context, sessionID, to, why string) error {
	m, err := s.RewindRecord(to, why)
	if err == nil && to != "" {
		var list []part
		if list, err = s.openLog(ctx, sessionID, messageStream); err == nil {
			if _, err = placeOf(ctx, list, to); errors.Is(err, ErrNoMessage) {
				err = fmt.Errorf("%w: %w", ErrNoRewind, err)
			}
		}
	}
	if err == nil {
		err = s.AppendBatch(ctx, sessionID, Batch{Messages: []Message{m}})
	}
	if err != nil {
		return fmt.Errorf("rewind session %.100s: %w", sessionID, err)
	}
	return nil
}

// RewindRecord is the message that Rewind appends.
func (s *Store) RewindRecord(to, why string) (Message, error) {
	name, err := id.Generate()
	if err != nil {
		return Message{}, err
	}
	if why == "" {
		why = "The conversation was taken back."
	}
	return Message{UUID: "rewind-" + name.String(), ParentUUID: to, Timestamp: s.now().UTC(), Role: agent.RoleSystem, Content: why,
		Injected: true, Rewind: &agent.Rewind{To: to}}, nil
}
