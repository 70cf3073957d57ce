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

// A saidEntry is a message as it is printed.
type saidEntry struct {
	session.Message
	Rewound bool `json:"rewound,omitempty"`
}

// entries streams a session's messages; with all, also those that rewinds removed, and the
// records of the rewinds.
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

// addEntry writes a message, and marks one that a rewind removed.
func (tw *talkWriter) addEntry(m saidEntry) error {
	if m.Rewind != nil {
		to := "its beginning"
		if m.Rewind.To != "" {
			to = "message " + shownLine(shortOf(m.Rewind.To, shortUUID))
		}
		line := fmt.Sprintf("\n%s\n", tw.t.Styled(term.Bad, "── "+tw.when(m.Timestamp)+" the conversation was rewound to "+to+" ──"))
		tw.last = "─"
		_, err := io.WriteString(tw.out, line)
		return err
	}
	if m.Rewound != tw.rewound {
		tw.rewound, tw.last = m.Rewound, "─"
	}
	return tw.add(m.Message)
}

// talkMoved returns a function that updates the session store after a rewind or redo has changed
// a transcript. It only logs errors: the agent's next hook repairs the store.
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

// takenBack returns a session's transcript as it was when message at was its last, before a
// rewind removed that message.
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
