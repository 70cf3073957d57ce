package session

import (
	"context"
	"fmt"
	"iter"

	"entire/session/internal/conversation"
	"entire/session/internal/log"
)

// A LogLine is a line of everything in a session's messages: a message, the record of a rewind,
// or a damaged line.
type LogLine struct {
	Data    []byte // without its newline; valid until the next line
	End     int64  // where it ends, in bytes from the start of the log, shared parts included
	Rewound bool   // a rewind has taken it out of the conversation
}

// LogFrom streams the complete lines of a session's messages, as stored, that begin at from or
// later. From is 0 or the End of an earlier line, so that a caller can continue. It leaves out
// blank lines.
func (s *Store) LogFrom(ctx context.Context, sessionID string, from int64) iter.Seq2[LogLine, error] {
	return func(yield func(LogLine, error) bool) {
		list, v, err := s.openView(ctx, sessionID)
		if err != nil {
			yield(LogLine{}, fmt.Errorf("read session %.100s: %w", sessionID, err))
			return
		}
		starts := conversation.PartStarts(list)
		first := 0
		for first+1 < len(list) && starts[first+1] <= from {
			first++
		}
		if len(list) == 0 {
			return
		}
		for line, err := range conversation.EachLine(ctx, list[first:], from-starts[first]) {
			if err != nil {
				yield(LogLine{}, fmt.Errorf("read session %s: %w", sessionID, err))
				return
			}
			part := first + line.Part
			if !yield(LogLine{line.Data, starts[part] + line.End, !v.Contains(part, line.End)}, nil) {
				return
			}
		}
	}
}

// LogSize returns how many bytes the messages of a session have, including those that a fork
// shares.
func (s *Store) LogSize(ctx context.Context, sessionID string) (int64, error) {
	list, err := s.openLog(ctx, sessionID, log.MessageStream)
	if err != nil {
		return 0, fmt.Errorf("read session %.100s: %w", sessionID, err)
	}
	var sum int64
	for _, p := range list {
		sum += p.Bytes
	}
	return sum, nil
}
