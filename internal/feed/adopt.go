package feed

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"entire/agent"
	"entire/agent/agents"
	"entire/id"
	"entire/internal/durable"
	"entire/session"
)

// Import stores a transcript that no agent is writing. A repeated import adds only what is new since
// the last one.
func (f *Feed) Import(ctx context.Context, sid id.SessionID, kind agent.AgentType, path, cwd string) error {
	return f.Event(ctx, agent.Event{AgentType: kind, Agent: agents.For(kind).Name(), SessionID: sid, TranscriptPath: path, Dir: cwd, Time: f.Now()})
}

// End marks a session that was imported as ended at its last message, and as begun at a time, if that is known.
func End(ctx context.Context, store *session.Store, sid id.SessionID, began time.Time) error {
	err := store.UpdateMetadataContext(ctx, sid.String(), func(m *session.SessionMetadata) {
		if !began.IsZero() {
			m.CreatedAt = began
		}
		at := m.UpdatedAt
		m.EndedAt = &at
	})
	if err != nil {
		return err
	}
	return store.Flush(ctx)
}

// Adopt registers the transcript at path for a session that the store already holds, e.g. a fork. It
// takes the transcript's present content as stored, so that the next event appends only what follows.
func (f *Feed) Adopt(ctx context.Context, sid id.SessionID, kind agent.AgentType, path string) (err error) {
	store := session.OpenStore(f.Base, session.WithClock(f.Now), session.WithSync(false))
	defer func() { err = errors.Join(err, store.Close()) }() // nothing was written
	dir := store.Dir(sid.String())
	if _, err := store.Metadata(ctx, sid.String()); err != nil {
		return err
	}
	lock, err := durable.Acquire(ctx, filepath.Join(dir, lockName))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Release()) }()
	ev := agent.Event{AgentType: kind, SessionID: sid, TranscriptPath: path}
	s := &eventRun{Feed: f, ctx: ctx, ev: ev, store: store, sid: sid.String(), dir: dir, pos: &position{Version: 1}, adopting: true}
	if err := s.readMain(); err != nil {
		return fmt.Errorf("adopt the transcript of session %s: %w", sid, err)
	}
	s.pos.Titled = true
	return s.flushAndSave()
}

// TranscriptOf returns where the agent keeps the session's transcript, or "" if that is not known. dir
// is the session's folder.
func TranscriptOf(dir string) string { return loadPosition(dir).Main.Path }

// LastFed returns when an event last changed the session's position, or zero if none did. dir is the
// session's folder.
func LastFed(dir string) time.Time {
	fi, err := os.Lstat(filepath.Join(dir, positionName))
	if err != nil {
		return time.Time{}
	}
	return fi.ModTime()
}

// InTurn reports whether the session is within a turn. It is only known if Feed.Turns was set. dir is
// the session's folder.
func InTurn(dir string) bool { return loadPosition(dir).Active }
