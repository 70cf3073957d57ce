package otelexport

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"entire/agent"
	"entire/internal/cli/sessionlib"
	"entire/internal/otlp"
	"entire/strategy/condense"
)

// settled is how old a session's last message is when its turn counts as ended: agents write to their transcripts
// after they report the end of a turn.
const settled = 5 * time.Minute

// A reader makes spans of sessions, and hands them on with the mark that holds when they are sent.
type reader struct {
	l       *sessionlib.Library
	content bool
	since   time.Time
	rewinds []condense.RewindEntry
	give    func(key string, m mark, spans []otlp.Span) error
}

// readRewinds reads the rewinds of files in this worktree.
func (r *reader) readRewinds() error {
	if r.l.Wp == nil {
		return nil
	}
	log, err := condense.ReadRewindLog(r.l.Wp.Engine)
	if err != nil && !errors.Is(err, condense.ErrRewindLog) {
		return err
	}
	r.rewinds = log
	return nil
}

// read makes the spans of a session after its mark.
func (r *reader) read(ctx context.Context, s sessionlib.ListedSession, key string, m mark) error {
	from := ""
	if m.End == 0 {
		from = s.ForkedAt
	}
	found, err := r.readLog(ctx, s, key, &m, from)
	if err == nil && !found { // the parent's part is not in it
		_, err = r.readLog(ctx, s, key, &m, "")
	}
	if err != nil {
		return err
	}
	return r.readEvents(s, key, m)
}

// readLog reads the messages after the mark and, if from is set, after the message with that ID. It reports whether
// that message is there.
func (r *reader) readLog(ctx context.Context, s sessionlib.ListedSession, key string, m *mark, from string) (found bool, err error) {
	turns := otlp.Turns{Session: s.ID, Agent: string(s.Agent), Content: r.content, Turn: m.Turn}
	skipping := from != ""
	end := m.End
	for line, err := range r.l.StoreOf(s.Project).LogFrom(ctx, s.ID, m.End) {
		if sessionlib.BadLine(err) != nil {
			continue
		}
		if err != nil {
			return true, err
		}
		message := &agent.Message{}
		if json.Unmarshal(line.Data, message) != nil {
			continue
		}
		if skipping {
			skipping = message.UUID != from
			end = line.End
			continue
		}
		if spans := turns.Add(message); len(spans) > 0 {
			m.End, m.Turn = end, otlp.Turn{}
			if err := r.pass(key, *m, spans); err != nil {
				return true, err
			}
		}
		if message.Rewind != nil {
			if err := r.event(s, key, m, "rewind "+message.UUID, message.Timestamp, otlp.Attribute{Key: "entire.rewind.scope", Value: "conversation"}); err != nil {
				return true, err
			}
		}
		end = line.End
	}
	if skipping {
		return false, nil
	}
	if s.Ended == nil && (s.State == sessionlib.StateActive || r.l.Env.Now().Sub(s.Updated) < settled) {
		return true, nil // the rest is sent when its turn is over
	}
	spans := turns.End()
	if end == m.End && len(spans) == 0 {
		return true, nil
	}
	m.End, m.Turn = end, turns.Turn
	return true, r.pass(key, *m, spans)
}

// pass hands on the spans that are selected.
func (r *reader) pass(key string, m mark, spans []otlp.Span) error {
	spans = slices.DeleteFunc(spans, func(s otlp.Span) bool { return s.Begin.Before(r.since) })
	return r.give(key, m, spans)
}

// readEvents makes spans of a session's checkpoints, and of the rewinds of files that were its.
func (r *reader) readEvents(s sessionlib.ListedSession, key string, m mark) error {
	for _, c := range s.Checkpoints {
		if err := r.event(s, key, &m, "checkpoint "+c.ID, c.Date, otlp.Attribute{Key: "entire.checkpoint.id", Value: c.ID}); err != nil {
			return err
		}
	}
	for _, e := range r.rewinds {
		if _, its := e.Work[s.ID]; !its && e.Session != s.ID {
			continue
		}
		about := []otlp.Attribute{{Key: "entire.rewind.scope", Value: "files"}, {Key: "entire.rewind.kind", Value: string(e.Kind)}, {Key: "entire.rewind.files", Value: int64(e.Files)}}
		if err := r.event(s, key, &m, "rewind "+e.ID, e.At, about...); err != nil {
			return err
		}
	}
	return nil
}

// event makes the span of something that happened at one time, unless it was sent.
func (r *reader) event(s sessionlib.ListedSession, key string, m *mark, id string, at time.Time, about ...otlp.Attribute) error {
	if slices.Contains(m.Events, id) {
		return nil
	}
	m.Events = append(m.Events, id)
	word, _, _ := strings.Cut(id, " ")
	span := otlp.Span{Trace: s.ID + "/" + id, ID: "event", Name: "entire." + word, Kind: otlp.KindInternal, Begin: at, End: at}
	span.Set("gen_ai.conversation.id", s.ID)
	span.Set("gen_ai.agent.name", string(s.Agent))
	for _, a := range about {
		span.Set(a.Key, a.Value)
	}
	return r.pass(key, *m, []otlp.Span{span})
}

// sessions returns the stored sessions, the first begun first.
func sessions(ctx context.Context, l *sessionlib.Library, all bool) ([]sessionlib.ListedSession, error) {
	list, err := l.Here(ctx)
	if err != nil {
		return nil, fmt.Errorf("list the sessions: %w", err)
	}
	if all {
		more, err := l.Elsewhere(ctx)
		if err != nil {
			return nil, fmt.Errorf("list the sessions: %w", err)
		}
		list = append(list, more...)
	}
	list = slices.DeleteFunc(list, func(s sessionlib.ListedSession) bool { return !slices.Contains(s.Sources, sessionlib.InStore) })
	slices.SortStableFunc(list, func(a, b sessionlib.ListedSession) int { return a.Started.Compare(b.Started) })
	return list, nil
}
