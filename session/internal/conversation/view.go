package conversation

import (
	"bytes"
	"context"
	"fmt"
	"iter"
	"slices"

	"github.com/tidwall/gjson"

	"entire/session/internal/log"
)

// A span is a range of a log, in bytes from the beginning of its first part.
type span struct{ from, to int64 }

// A View is the set of log lines that make up the conversation; nil is all of them.
type View struct {
	spans []span
	parts []int64 // the offset of each part in the log
}

// Contains reports whether the line that ends at end in a part belongs to the view.
func (v *View) Contains(part int, end int64) bool {
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

// An logSegment is the range of a log between two records of rewinds: the conversation then is base
// and the lines from start on.
type logSegment struct {
	base  []span
	start int64
}

// spansAt returns the spans of the conversation when the log ended at pos.
func spansAt(eras []logSegment, pos int64) []span {
	i := len(eras) - 1
	for i > 0 && eras[i].start >= pos {
		i--
	}
	if pos <= eras[i].start {
		return eras[i].base
	}
	return append(slices.Clip(eras[i].base), span{eras[i].start, pos})
}

// rewindParser parses the record of a rewind in a line and returns the offset to which it rewinds
// the conversation; -1 if the target is unknown. ends returns where the line of a message ends.
type rewindParser func(line []byte, ends func(name string) (int64, bool)) (pos int64, is bool)

// ViewOf reads a log and returns the view of the conversation when the log ends at last; -1 is
// the whole log.
func ViewOf(ctx context.Context, list []log.Part, last int64, names bool, record rewindParser) (*View, error) {
	v := &View{parts: PartStarts(list)}
	eras := []logSegment{{}}
	ends := map[string]int64{}
	find := func(name string) (int64, bool) { end, ok := ends[name]; return end, ok }
	var pos int64
	for line, err := range EachLine(ctx, list, 0) {
		if err != nil {
			return nil, err
		}
		end := v.parts[line.Part] + line.End
		if last >= 0 && end > last {
			break
		}
		pos = end
		if to, is := record(line.Data, find); is {
			if lineStart := v.parts[line.Part] + line.at; to < 0 || to > lineStart { // the target is not in this log
				to = lineStart
			}
			eras = append(eras, logSegment{spansAt(eras, to), end})
			continue
		}
		if names {
			ends[gjson.GetBytes(line.Data, "uuid").Str] = end
		}
	}
	v.spans = spansAt(eras, pos)
	if last < 0 {
		last := eras[len(eras)-1]
		v.spans = append(slices.Clip(last.base), span{last.start, 1 << 62})
	}
	v.spans = slices.DeleteFunc(v.spans, func(s span) bool { return s.from >= s.to })
	return v, nil
}

// PartStarts returns the offset of each part in its log.
func PartStarts(list []log.Part) []int64 {
	starts := make([]int64, len(list))
	for i := 1; i < len(list); i++ {
		starts[i] = starts[i-1] + list[i-1].Bytes
	}
	return starts
}

// MessageRecord parses the record of a rewind in messages.jsonl.
func MessageRecord(line []byte, ends func(string) (int64, bool)) (int64, bool) {
	if !bytes.Contains(line, []byte(`"rewind":`)) {
		return 0, false
	}
	m, err := ParseMessage(line)
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

// StreamRecord parses the record of a rewind in transcript.jsonl.
func StreamRecord(line []byte, _ func(string) (int64, bool)) (int64, bool) {
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

// MessageView returns the view of a session's messages when the log ends at last, -1 for its
// present end; nil if there was no rewind.
func MessageView(ctx context.Context, list []log.Part, rewinds int, last int64) (*View, error) {
	if rewinds == 0 {
		return nil, nil
	}
	return ViewOf(ctx, list, last, true, MessageRecord)
}

// Filter removes from a stream the messages that are not in the view.
func (v *View) Filter(in iter.Seq2[storedMessage, error]) iter.Seq2[storedMessage, error] {
	if v == nil {
		return in
	}
	return func(yield func(storedMessage, error) bool) {
		for m, err := range in {
			if (err == nil || IsBadLine(err)) && !v.Contains(m.Part, m.End) {
				continue
			}
			if !yield(m, err) {
				return
			}
		}
	}
}

// EndOfMessage returns where the message uuid ends in a log, including further messages from the
// same record of the agent; ErrNoMessage if the log has no such message.
func EndOfMessage(ctx context.Context, list []log.Part, uuid string) (int64, error) {
	starts := PartStarts(list)
	end := int64(-1)
	for m, err := range UpToMessage(EachMessage(ctx, list, 0), uuid) {
		if err != nil && !IsBadLine(err) {
			return 0, err
		}
		end = starts[m.Part] + m.End
	}
	return end, nil
}
