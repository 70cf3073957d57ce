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

// Feed writes the transcripts of agents into one project's session store.
type Feed struct {
	Base    string // the folder of the project's sessions, absolute
	Project string // the project's key, for the metadata
	// Redact removes the secrets from one line or one JSON document. It may return its argument and
	// must not keep it.
	Redact func([]byte) []byte
	Now    func() time.Time
	// OwnTranscript is the path of a redacted transcript that the caller keeps for a session whose agent
	// keeps none. If it is "", the feed keeps that transcript itself.
	OwnTranscript string
	// Branch is the repository's current branch, for agents whose records do not name it; "" if not
	// known.
	Branch string
	// Circumstances holds the circumstances that events do not contain: branch, commit and environment,
	// redacted.
	Circumstances session.Circumstances
	// Turns makes the feed record whether a turn is in progress, for [InTurn]. It is for callers
	// without another source for this.
	Turns bool
}

// lockWait is how long Event waits for another process that feeds the same session.
const lockWait = 2 * time.Second

// Names of files in a session's folder.
const (
	positionName      = "feed.jsonl"
	lockName          = "feed.lock"
	ownTranscriptName = "talk.jsonl" // transcript of an agent that keeps none
	agentsName        = "agents"     // raw streams of subagents: {agent-id}.jsonl
	documentName      = "transcript.json"
)

// ErrBusy is returned, wrapped, by Event when another process is feeding the session. The next event
// stores what this one did not.
var ErrBusy = durable.ErrHeld

// Event stores what is new in the transcript of the event's session. It creates the session if
// necessary. After an error, the next event does what is missing.
func (f *Feed) Event(ctx context.Context, ev agent.Event) (err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("feed session %s: %w", ev.SessionID, err)
		}
	}()
	store := session.OpenStore(f.Base, session.WithClock(f.Now), session.WithSync(false))
	s := &eventRun{Feed: f, ctx: ctx, ev: ev, store: store, sid: ev.SessionID.String(), dir: store.Dir(ev.SessionID.String())}
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
	defer closed() // before the lock is released: the next process reads what was written
	s.pos = loadPosition(s.dir)
	err = s.readNew()
	if !s.changed || s.lost || err != nil && s.known != nil {
		return err
	}
	// What was read before an error is complete.
	if cerr := store.Close(); cerr != nil {
		return errors.Join(err, cerr)
	}
	return errors.Join(err, s.savePosition())
}

// An eventRun is the work of one event on one session, under its feed lock.
type eventRun struct {
	*Feed
	ctx   context.Context
	ev    agent.Event
	store *session.Store
	sid   string
	dir   string
	pos   *position

	known    *stored // what the store holds beyond the position; nil: nothing
	reread   *reread // not nil while the session's transcript is read again
	rewound  bool    // the conversation was rewound
	adopting bool    // append nothing: the store already holds it
	batch    batch
	called   map[string]bool // names of called tools
	begun    time.Time       // earliest time of a message
	branches []string        // branches named in the records
	turns    int             // number of turns in the loaded position
	cost     float64
	told     bool // the event told of tokens
	lost     bool // something that was read is not stored
	changed  bool // the position differs from the one on disk
	forked   *bool
}

// create creates the session if it does not exist. Another process may create it at the same time.
func (s *eventRun) create() error {
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

// readNew reads what is new in every transcript, even if one of them cannot be read.
func (s *eventRun) readNew() error {
	s.turns, s.cost = s.pos.Turns, s.pos.Cost
	if s.told = s.pos.Told.Note(s.ev); s.told {
		s.changed = true
	}
	if err := errors.Join(s.recordEvent(), s.loadStored()); err != nil {
		s.lost = true
		return err
	}
	read := errors.Join(s.readMain(), s.readSubagents())
	if read == nil {
		read = s.finishReread()
	}
	return errors.Join(read, s.flush(s.describe()))
}

// flushAndSave waits until everything is written, then saves the position.
func (s *eventRun) flushAndSave() error {
	if err := s.store.Flush(s.ctx); err != nil {
		return err
	}
	return s.savePosition()
}

// savePosition saves the position, with the present sizes of the store's files.
func (s *eventRun) savePosition() error {
	s.pos.Messages = sizeOf(s.messages())
	s.pos.Main.Stored = sizeOf(s.rawFile(""))
	for aid, st := range s.pos.Agents {
		st.Stored = sizeOf(s.agentFile(aid))
	}
	return s.pos.write(s.dir)
}

// sizeOf returns the size of a log in bytes, or 0 if it does not exist.
func sizeOf(path string) int64 {
	size, _, err := session.StatLog(path)
	if err != nil {
		return 0
	}
	return size
}
