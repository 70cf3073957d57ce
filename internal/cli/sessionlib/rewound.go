package sessionlib

import (
	"context"
	"fmt"
	"io"
	"iter"

	"entire/internal/cli/cliui"
	"entire/internal/term"
	"entire/session"
)

// A SaidEntry is a message as it is printed.
type SaidEntry struct {
	session.Message
	Rewound bool `json:"rewound,omitempty"`
}

// Entries streams a session's messages; with all, also those that rewinds removed, and the
// records of the rewinds.
func (l *Library) Entries(ctx context.Context, s ListedSession, all bool) iter.Seq2[SaidEntry, error] {
	src := l.Source(ctx, s)
	return func(yield func(SaidEntry, error) bool) {
		if store, ok := src.(*session.Store); ok && all {
			for m, err := range store.History(ctx, s.ID) {
				if !yield(SaidEntry{m.Message, m.Rewound}, err) {
					return
				}
			}
			return
		}
		for m, err := range src.Messages(ctx, s.ID) {
			if !yield(SaidEntry{Message: m}, err) {
				return
			}
		}
	}
}

// AddEntry writes a message, and marks one that a rewind removed.
func (tw *ConversationWriter) AddEntry(m SaidEntry) error {
	if m.Rewind != nil {
		to := "its beginning"
		if m.Rewind.To != "" {
			to = "message " + cliui.ShownLine(cliui.ShortOf(m.Rewind.To, ShortUUID))
		}
		line := fmt.Sprintf("\n%s\n", tw.t.Styled(term.Bad, "── "+tw.when(m.Timestamp)+" the conversation was rewound to "+to+" ──"))
		tw.Last = "─"
		_, err := io.WriteString(tw.out, line)
		return err
	}
	if m.Rewound != tw.rewound {
		tw.rewound, tw.Last = m.Rewound, "─"
	}
	return tw.add(m.Message)
}

// takenBack returns a session's transcript as it was when message at was its last, before a
// rewind removed that message.
func (l *Library) takenBack(ctx context.Context, s ListedSession, at string) ([]byte, error) {
	var out []byte
	for line, err := range l.StoreOf(s.Project).SDKMessagesUpTo(ctx, s.ID, at) {
		if err != nil {
			return nil, err
		}
		out = append(append(out, line...), '\n')
	}
	return out, nil
}
