package feed

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"entire/agent"
	"entire/id"
	"entire/internal/durable"
	"entire/session"
)

// Import brings the store up to date with a transcript at rest. Done again, it
// adds what is new since.
func (f *Feed) Import(ctx context.Context, sid id.SessionID, kind agent.AgentType, path, cwd string) error {
	return f.Event(ctx, agent.Event{AgentType: kind, Agent: agent.For(kind).Name(), SessionID: sid, TranscriptPath: path, Dir: cwd, Time: f.Now()})
}

// Adopt tells of a session that the store has, as that of a fork, that its
// transcript is at path and what stands there now is known: the next event appends
// what comes after it.
func (f *Feed) Adopt(ctx context.Context, sid id.SessionID, kind agent.AgentType, path string) (err error) {
	store := session.OpenStore(f.Base, session.WithClock(f.Now), session.WithSync(false))
	defer func() { err = errors.Join(err, store.Close()) }() // to which nothing is written
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
	s := &sitting{Feed: f, ctx: ctx, ev: ev, store: store, sid: sid.String(), dir: dir, pos: &position{Version: 1}, adopting: true}
	if err := s.readMain(); err != nil {
		return fmt.Errorf("adopt the transcript of session %s: %w", sid, err)
	}
	s.pos.Titled = true
	return s.save()
}

// TranscriptOf is where the agent keeps the transcript of a session that was fed,
// "" if that is not known. dir is the session's folder.
func TranscriptOf(dir string) string { return loadPosition(dir).Main.Path }

// LastFed is when a hook last brought something new of a session; zero where none
// did. dir is the session's folder.
func LastFed(dir string) time.Time {
	fi, err := os.Lstat(filepath.Join(dir, positionName))
	if err != nil {
		return time.Time{}
	}
	return fi.ModTime()
}

// InTurn reports whether a session that was fed is in the middle of a turn, as far
// as Turns had it noted. dir is the session's folder.
func InTurn(dir string) bool { return loadPosition(dir).Active }
