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

// This file reads the logs of conversations that were rewound. A rewind removes nothing from a
// log: it appends a record that says from which line the conversation continues.

// ErrNoRewind is returned if a conversation cannot be rewound to a message.
var ErrNoRewind = errors.New("the conversation cannot be taken back to there")

// A span is a range of a log, in bytes from the beginning of its first part.
type span struct{ from, to int64 }

// A view is the set of log lines that make up the conversation; nil is all of them.
type view struct {
	spans []span
	parts []int64 // the offset of each part in the log
}

// has reports whether the line that ends at end in a part belongs to the view.
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

// An era is the range of a log between two records of rewinds: the conversation then is base
// and the lines from start on.
type era struct {
	base  []span
	start int64
}

// eraUpTo returns the spans of the conversation when the log ended at pos.
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

// rewoundTo parses the record of a rewind in a line and returns the offset to which it rewinds
// the conversation; -1 if the target is unknown. ends returns where the line of a message ends.
type rewoundTo func(line []byte, ends func(name string) (int64, bool)) (pos int64, is bool)

// viewOf reads a log and returns the view of the conversation when the log ends at last; -1 is
// the whole log.
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
			if lineStart := v.parts[line.part] + line.at; to < 0 || to > lineStart { // the target is not in this log
				to = lineStart
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

// partStarts returns the offset of each part in its log.
func partStarts(list []part) []int64 {
	starts := make([]int64, len(list))
	for i := 1; i < len(list); i++ {
		starts[i] = starts[i-1] + list[i-1].bytes
	}
	return starts
}

// messageRecord parses the record of a rewind in messages.jsonl.
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

// streamRecord parses the record of a rewind in transcript.jsonl.
func streamRecord(line []byte, _ func(string) (int64, bool)) (int64, bool) {
	n, is := RewoundTo(line)
	return n, is
}

// rewindRecord begins the record of a rewind in transcript.jsonl.
const rewindRecord = `{"entire_rewind":{"bytes":`

// StreamRewind returns the record for transcript.jsonl, without a newline, which says that the
// stream continues from the end of its first n bytes.
func StreamRewind(n int64) []byte { return fmt.Appendf(nil, "%s%d}}", rewindRecord, n) }

// RewoundTo parses a record that StreamRewind made.
func RewoundTo(line []byte) (n int64, is bool) {
	if !bytes.HasPrefix(line, []byte(rewindRecord)) {
		return 0, false
	}
	return gjson.GetBytes(line, "entire_rewind.bytes").Int(), true
}

// messageView returns the view of a session's messages when the log ends at last, -1 for its
// present end; nil if there was no rewind.
func messageView(ctx context.Context, list []part, rewinds int, last int64) (*view, error) {
	if rewinds == 0 {
		return nil, nil
	}
	return viewOf(ctx, list, last, true, messageRecord)
}

// An Entry is a message of everything in a session's log.
type Entry struct {
	Message
	// Rewound says that a rewind has taken the message out of the conversation.
	Rewound bool
}

// History streams every message in the log, including those that a rewind has taken out and the
// records of rewinds. It yields damaged lines as Messages does.
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

// openView is openLog for the messages, with the view of the conversation.
func (s *Store) openView(ctx context.Context, sessionID string) ([]part, *view, error) {
	list, err := s.openLog(ctx, sessionID, messageStream)
	if err != nil {
		return nil, nil, err
	}
	meta, err := s.queue.metadata(ctx, sessionID)
	if err != nil {
		return nil, nil, err
	}
	v, err := messageView(ctx, list, meta.Rewinds, -1)
	return list, v, err
}

// onlyIn removes from a stream the messages that are not in the view.
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

// placeOf returns where the message uuid ends in a log, including further messages from the
// same record of the agent; ErrNoMessage if the log has no such message.
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

// Rewind records that the conversation continues from after the message to, or from its
// beginning if that is "". A message that an earlier rewind took out is a valid target: it
// restores the conversation in which that message was the last. why is a text for people.
// [Store.Messages] reads the conversation that remains; [Store.History] reads everything. The
// error is ErrNoRewind if there is no such message.
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

// RewindRecord returns the message that Rewind appends.
func (s *Store) RewindRecord(to, why string) (Message, error) {
	name, err := id.Generate()
	if err != nil {
		return Message{}, err
	}
	if why == "" {
		why = "The conversation was taken back."
	}
	return Message{UUID: "rewind-" + name.String(), ParentUUID: to, Timestamp: s.queue.now().UTC(), Role: agent.RoleSystem, Content: why,
		Injected: true, Rewind: &agent.Rewind{To: to}}, nil
}
