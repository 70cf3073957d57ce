package session

import (
	"context"
	"fmt"
	"iter"
)

// A LogLine is a line of everything that was ever said in a session: a message, a
// record of a rewind, or something damaged.
type LogLine struct {
	Data    []byte // without its newline; valid until the next line
	End     int64  // where it ends, in bytes of the whole log, that of a fork's base included
	Rewound bool   // the conversation was taken back to before it
}

// LogFrom streams the complete lines of a session's messages that begin at from or
// later, a value that End had or 0, as they are stored: for whoever reads on from
// where it was before. Blank lines are left out.
func (s *Store) LogFrom(ctx context.Context, sessionID string, from int64) iter.Seq2[LogLine, error] {
	return func(yield func(LogLine, error) bool) {
		list, v, err := s.openView(ctx, sessionID)
		if err != nil {
			yield(LogLine{}, fmt.Errorf("read session %.100s: %w", sessionID, err))
			return
		}
		starts := partStarts(list)
		first := 0
		for first+1 < len(list) && starts[first+1] <= from {
			first++
		}
		if len(list) == 0 {
			return
		}
		for line, err := range eachLine(ctx, list[first:], from-starts[first]) {
			if err != nil {
				yield(LogLine{}, fmt.Errorf("read session %s: %w", sessionID, err))
				return
			}
			part := first + line.part
			if !yield(LogLine{line.data, starts[part] + line.end, !v.has(part, line.end)}, nil) {
				return
			}
		}
	}
}

// LogSize is how many bytes the messages of a session have, that of a fork's base
// included.
func (s *Store) LogSize(ctx context.Context, sessionID string) (int64, error) {
	list, err := s.openLog(ctx, sessionID, messageStream)
	if err != nil {
		return 0, fmt.Errorf("read session %.100s: %w", sessionID, err)
	}
	var sum int64
	for _, p := range list {
		sum += p.bytes
	}
	return sum, nil
}
