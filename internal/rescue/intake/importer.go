package intake

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"entire/agent"
	"entire/agent/agents"
	"entire/id"
	"entire/internal/durable"
	"entire/internal/feed"
	"entire/internal/rescue"
)

// What became of a conversation.
const (
	New     = "imported" // it was not in the store
	More    = "continued"
	Same    = "same"    // the store has all of it
	Within  = "within"  // another session has all of its messages
	Deleted = "deleted" // a person deleted it here
)

// liveFor is how long after its last message a conversation may still go on.
const liveFor = time.Hour

// A Result says what became of a conversation.
type Result struct {
	What     string
	Added    int    // messages
	Messages int    // in the store now
	Of       string // the session that it shares messages with
}

// An Importer brings conversations into stores. It is for one goroutine.
type Importer struct {
	*Stores
	Memory *rescue.Memory
	Redact func([]byte) []byte
	// Plain returns the path of a transcript that can be read, given that of one that may be compressed.
	Plain func(path string) (plain string, done func(), err error)
	// Transcripts are the transcripts of sessions, for those that others continue.
	Transcripts map[string]string
	firsts      map[string]map[string][]string // sessions by their first message, by project
}

// Import brings a conversation into the store of the project with a key.
func (m *Importer) Import(ctx context.Context, c *rescue.Conversation, key string) (Result, error) {
	sid, err := id.ParseSessionID(c.Session)
	if err != nil {
		return Result{}, fmt.Errorf("%s: %w", c.Path, err)
	}
	mark := c.Mark() // of before: what is written meanwhile is new next time
	r, err := m.take(ctx, c, sid, key)
	if err != nil {
		return r, fmt.Errorf("import %s: %w", c.Path, err)
	}
	done := rescue.Outcome{Project: key, Mark: mark}
	if r.What == Within {
		done = rescue.Outcome{Within: r.Of, Mark: mark}
	}
	m.Memory.Note(c, done)
	return r, nil
}

func (m *Importer) take(ctx context.Context, c *rescue.Conversation, sid id.SessionID, key string) (Result, error) {
	stored, known := m.Sessions[c.Session]
	if known {
		key = stored.Project
	} else if m.Deleted[c.Session] {
		return Result{What: Deleted}, nil
	}
	ev := agent.Event{AgentType: c.Agent, Agent: c.Name, SessionID: sid, Dir: c.Folder, Time: m.Now()}
	done, err := m.source(ctx, c, &ev)
	if err != nil {
		return Result{}, err
	}
	defer done()
	var r Result
	if !known && ev.TranscriptPath != "" {
		at, of, whole, err := m.begins(ctx, c, ev.TranscriptPath, key)
		switch {
		case err != nil:
			return r, err
		case whole:
			return Result{What: Within, Of: of}, nil
		case of != "":
			if _, err := m.Of(key).ForkAt(ctx, of, c.Session, at); err != nil {
				return r, err
			}
			r.Of = of
		}
	}
	before := stored.Messages
	if r.Of != "" {
		if meta, err := m.Of(key).Metadata(ctx, c.Session); err == nil {
			before = meta.MessageCount
		}
	}
	return m.feed(ctx, c, ev, key, known, before, r)
}

// feed stores what the event names, and says what the store has now.
func (m *Importer) feed(ctx context.Context, c *rescue.Conversation, ev agent.Event, key string, known bool, before int, r Result) (Result, error) {
	store := m.Of(key)
	f := &feed.Feed{Base: store.Base(), Project: key, Redact: m.Redact, Now: m.Now}
	if err := f.Event(ctx, ev); err != nil {
		return r, err
	}
	if !known && m.Now().Sub(c.Last) > liveFor {
		if err := feed.End(ctx, store, ev.SessionID, c.First); err != nil {
			return r, err
		}
	}
	meta, err := store.Metadata(ctx, c.Session)
	if err != nil {
		return r, err
	}
	r.Messages, r.Added = meta.MessageCount, meta.MessageCount-before
	switch {
	case !known:
		r.What = New
	case r.Added > 0:
		r.What = More
	default:
		r.What = Same
	}
	m.Sessions[c.Session] = storedAs(key, meta)
	if !known && m.firsts[key] != nil {
		m.noteFirst(ctx, key, c.Session)
	}
	return r, nil
}

// source sets what the event's conversation is read from: the transcript, a plain copy of it, or lines. done
// removes the copy.
func (m *Importer) source(ctx context.Context, c *rescue.Conversation, ev *agent.Event) (done func(), err error) {
	done = func() {}
	if c.InDatabase() {
		ev.Lines, err = c.Lines(ctx)
		return done, err
	}
	if keeper, ok := agents.For(c.Agent).(agent.DocumentKeeper); ok {
		documents := map[string][]byte{}
		for _, f := range c.Files {
			if !strings.HasSuffix(f.Path, ".messages.json") {
				continue
			}
			if documents[f.Path], err = durable.Read(f.Path, agent.MaxTranscript); err != nil {
				return done, err
			}
		}
		ev.Lines, _ = keeper.Lines(ev.SessionID, documents)
		return done, nil
	}
	path, clean, err := m.Plain(c.Path)
	if err != nil {
		return done, err
	}
	ev.TranscriptPath = path
	return clean, nil
}

// MemoryIn returns where the memory of imports is, in a data directory.
func MemoryIn(data string) string { return filepath.Join(data, "rescue", "seen.jsonl") }

// Lock keeps other processes from importing at the same time.
func Lock(data string) (*durable.Lock, error) {
	dir := filepath.Join(data, "rescue")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	return durable.AcquireWithin(filepath.Join(dir, "lock"), 0)
}
