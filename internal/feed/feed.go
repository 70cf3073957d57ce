package feed

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"entire/agent"
	"entire/internal/durable"
	"entire/session"
)

// Feed is the way from agents into one project's store.
type Feed struct {
	Base    string // the folder of the project's sessions, absolute
	Project string // its key, for the metadata
	// Redact takes the secrets out of one line, or of one JSON document. It may
	// return what it was given and must not keep it.
	Redact func([]byte) []byte
	Now    func() time.Time
	// OwnTalk is a transcript that the caller keeps for a session whose agent
	// keeps none, redacted; "" where the feed is to keep one itself.
	OwnTalk string
	// Branch is the one that the project's repository is on, "" where nobody knows: for
	// agents whose records do not say.
	Branch string
	// Around is what is known around the session and not in its events: branch,
	// commit and environment, redacted.
	Around session.Circumstances
	// Turns has it noted whether a turn is under way, for [InTurn]: where nothing
	// else tells.
	Turns bool
}

// lockWait is how long another process may feed the same session before this
// one leaves it to the next event.
const lockWait = 2 * time.Second

// Names in a session's folder. They reach the disk.
const (
	positionName = "feed.jsonl"
	lockName     = "feed.lock"
	talkName     = "talk.jsonl" // what an agent says that keeps no transcript
	agentsName   = "agents"     // raw streams of subagents: {agent-id}.jsonl
	documentName = "transcript.json"
)

// ErrBusy is returned, wrapped, by Event when another process is feeding the
// session: the next event brings what this one did not.
var ErrBusy = durable.ErrHeld

// Event brings the store up to date with the transcript of the event's session,
// which is created if need be. What an error leaves undone the next event does.
func (f *Feed) Event(ctx context.Context, ev agent.Event) (err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("feed session %s: %w", ev.SessionID, err)
		}
	}()
	store := session.OpenStore(f.Base, session.WithClock(f.Now), session.WithSync(false))
	s := &sitting{Feed: f, ctx: ctx, ev: ev, store: store, sid: ev.SessionID.String(), dir: store.Dir(ev.SessionID.String())}
	closed := func() {
		if cerr := store.Close(); err == nil {
			err = cerr
		}
	}
	if err := s.create(); err != nil {
		closed()
		return err
	}
	lock, err := durable.AcquireWithin(filepath.Join(s.dir, lockName), lockWait)
	if err != nil {
		closed()
		return err
	}
	defer func() { err = errors.Join(err, lock.Release()) }()
	defer closed() // before the lock goes: who has it next looks at what is written
	s.pos = loadPosition(s.dir)
	err = s.bringUp()
	if !s.moved || s.lost || err != nil && s.known != nil {
		return err
	}
	// What was read until an error is in order.
	if cerr := store.Close(); cerr != nil {
		return errors.Join(err, cerr)
	}
	return errors.Join(err, s.note())
}

// A sitting is one event's work on one session, under its feed lock.
type sitting struct {
	*Feed
	ctx   context.Context
	ev    agent.Event
	store *session.Store
	sid   string
	dir   string
	pos   *position

	known    *stored  // what may come again; nil for nothing
	retrace  *retrace // the session's transcript is read again; nil otherwise
	back     bool     // the conversation was taken back
	adopting bool     // nothing is appended: it is there
	batch    batch
	called   map[string]bool // tools
	begun    time.Time       // the first time that a message names
	branches []string        // that the records name
	turns    int             // as the position had them
	cost     float64
	lost     bool // something that was read is not in the store
	moved    bool // the position is no longer the one on disk
}

// create makes the session if it is not there. Another process may be faster.
func (s *sitting) create() error {
	if _, err := os.Lstat(filepath.Join(s.dir, "metadata.json")); err == nil {
		return nil
	} else if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	err := s.store.Create(session.SessionMetadata{
		ID: s.sid, ProjectHash: s.Project, CWD: s.ev.Dir, Model: s.ev.Model, CreatedAt: s.ev.Time, UpdatedAt: s.ev.Time,
		AgentName: string(s.ev.Agent), AgentType: s.ev.AgentType,
	})
	if errors.Is(err, session.ErrExists) {
		return nil
	}
	return err
}

// bringUp reads what is new. One transcript that cannot be read does not keep the
// others out.
func (s *sitting) bringUp() error {
	s.turns, s.cost = s.pos.Turns, s.pos.Cost
	if err := errors.Join(s.noteTalk(), s.recall()); err != nil {
		s.lost = true
		return err
	}
	read := errors.Join(s.readMain(), s.readSubagents())
	if read == nil {
		read = s.retraced()
	}
	return errors.Join(read, s.flush(s.describe()))
}

// save waits until all is written, and notes how far that is.
func (s *sitting) save() error {
	if err := s.store.Flush(s.ctx); err != nil {
		return err
	}
	return s.note()
}

// note writes down how far everything is that was written.
func (s *sitting) note() error {
	s.pos.Messages = sizeOf(s.messages())
	s.pos.Main.Stored = sizeOf(s.rawFile(""))
	for aid, st := range s.pos.Agents {
		st.Stored = sizeOf(s.agentFile(aid))
	}
	return s.pos.write(s.dir)
}

// sizeOf is how many bytes a log has, 0 where there is none.
func sizeOf(path string) int64 {
	size, _, err := session.StatLog(path)
	if err != nil {
		return 0
	}
	return size
}
