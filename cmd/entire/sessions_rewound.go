package main

import (
	"context"
	"fmt"
	"io"
	"iter"

	"entire/agent"
	"entire/id"
	"entire/internal/term"
	"entire/session"
)

// saidEntry is a message as it is printed.
type saidEntry struct {
	session.Message
	Rewound bool `json:"rewound,omitempty"`
}

// entries are a session's messages; all of them are what the conversation was taken
// back from, too, with the records that say so.
func (l *library) entries(ctx context.Context, s listedSession, all bool) iter.Seq2[saidEntry, error] {
	src := l.source(ctx, s)
	return func(yield func(saidEntry, error) bool) {
		if store, ok := src.(*session.Store); ok && all {
			for m, err := range store.History(ctx, s.ID) {
				if !yield(saidEntry{m.Message, m.Rewound}, err) {
					return
				}
			}
			return
		}
		for m, err := range src.Messages(ctx, s.ID) {
			if !yield(saidEntry{Message: m}, err) {
				return
			}
		}
	}
}

// addEntry writes a message, marked where the conversation was taken back from it.
func (tw *talkWriter) addEntry(m saidEntry) error {
	if m.Rewind != nil {
		to := "its beginning"
		if m.Rewind.To != "" {
			to = "message " + shownLine(shortOf(m.Rewind.To, shortUUID))
		}
		line := fmt.Sprintf("\n%s\n", tw.t.Styled(term.Bad, "── "+tw.when(m.Timestamp)+" the conversation is at "+to+" again ──"))
		tw.last = "─"
		_, err := io.WriteString(tw.out, line)
		return err
	}
	if m.Rewound != tw.rewound {
		tw.rewound, tw.last = m.Rewound, "─"
	}
	return tw.add(m.Message)
}

// talkMoved brings the session store up to date with a transcript that a rewind took
// back or forth. What goes wrong there the agent's next hook puts right.
func (w *world) talkMoved(wp *workplace) func(context.Context, id.SessionID, agent.AgentType, string) {
	return func(ctx context.Context, sid id.SessionID, kind agent.AgentType, path string) {
		if !wp.settings.SessionStore() || !wp.place.setUp {
			return
		}
		f := w.newFeed(wp.log)
		f.event(ctx, wp.identity(ctx), agent.Event{
			AgentType: kind, Agent: agent.For(kind).Name(), SessionID: sid, TranscriptPath: path, Time: w.now(),
		})
	}
}

// takenBack is the transcript of a session as it was when a message was its last,
// from before a rewind.
func (l *library) takenBack(ctx context.Context, s listedSession, at string) ([]byte, error) {
	var out []byte
	for line, err := range l.storeOf(s.Project).SDKMessagesUpTo(ctx, s.ID, at) {
		if err != nil {
			return nil, err
		}
		out = append(append(out, line...), '\n')
	}
	return out, nil
}
