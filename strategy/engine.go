package strategy

import (
	"context"
	"fmt"
	"io/fs"
	"log/slog"
	"path/filepath"
	"time"

	"entire/agent"
	"entire/id"
	"entire/internal/git"
	"entire/internal/redact"
	"entire/session"
)

// The default size limits of a step, in bytes.
const (
	DefaultCaptureLimit    = 64 << 20  // of one file
	DefaultCheckpointLimit = 512 << 20 // of all files that differ from HEAD
)

// LinkPrompt as CommitLinking makes the engine ask on a terminal before it links a commit.
const LinkPrompt = "prompt"

// Options are what the caller gives the engine, which reads no environment and no clock of its
// own.
type Options struct {
	Repo    *git.Repo
	Store   *session.StateStore
	Now     func() time.Time
	Log     *slog.Logger
	Version string // version of the program, written into the files that the engine makes
	Home    string // the user's home directory, for transcript paths
	// TranscriptDirs replace the folders in which agents keep transcripts.
	TranscriptDirs map[agent.AgentName]string

	// Redact removes secrets from a line of a transcript, or from a transcript that is one document;
	// nil is package redact. A replacement must remove at least the same.
	Redact func([]byte) []byte

	CommitLinking string // "always" (default) or LinkPrompt
	CaptureLimit  int64  // bytes per file; 0 is DefaultCaptureLimit

	CheckpointLimit int64    // bytes per step; 0 is DefaultCheckpointLimit
	IncludeIgnored  []string // patterns of ignored files that a step holds nevertheless

	// ReadWithin is how long an event in a hook may read files before it saves what it has; the
	// conversation gets half of it. 0 is no limit.
	ReadWithin time.Duration

	KeepRewinds time.Duration // how long a rewind's undo is kept at least; 0 is DefaultKeepRewinds

	KeepTurns  time.Duration // how long the turns of condensed steps are kept; 0 is DefaultKeepTurns, negative is not at all
	TurnsLimit int64         // bytes that the kept turns may use; 0 is DefaultTurnsLimit

	HumanPresent func() bool // reports a person at a terminal; nil is never
	AgentShell   bool        // this process runs in a shell that an agent has opened
	Committing   bool        // this is a hook of auto-commit's own commit: it does nothing
	NoEditor     bool        // git says that the message goes to no editor (GIT_EDITOR is ":")

	// Condensed is called for every checkpoint stored for a commit, with the sessions whose part in
	// it is new; nil is not called.
	Condensed func(id.CheckpointID, []id.SessionID)

	// Confirm asks the person at the terminal a question, with a line of detail. No answer within a
	// short time, and nil, are yes.
	Confirm func(ctx context.Context, question, detail string) bool

	// TalkMoved is called when an agent's transcript was cut or restored at path; nil is not called.
	TalkMoved func(ctx context.Context, sid id.SessionID, kind agent.AgentType, path string)

	// Invocation returns the command line of the git that runs this hook; nil if it is not known.
	Invocation func() (git.Invocation, bool)

	KeepSessions bool              // push_sessions is false: a push sends no sessions
	Tell         func(line string) // shows a person a line from within a hook; nil shows nothing
}

// ManualCommitStrategy keeps every turn on a shadow branch and condenses it into the metadata
// branch when somebody commits. It must not be called concurrently.
type ManualCommitStrategy struct {
	Options
	repo    *git.Repo
	store   *session.StateStore
	cache   *worktreeCache  // loaded on first use
	umask   *fs.FileMode    // read on first use
	invoked *git.Invocation // read on first use
	auto    bool            // commits at the end of every turn
	moves   []headMove      // which other sessions have not followed yet

	// missed are commits that no hook of ours saw and that are being recorded, and the commits that
	// they replace; nil before they are searched for.
	missed map[git.OID]bool
}

// New makes the engine for one worktree.
func New(o Options) *ManualCommitStrategy {
	if o.CaptureLimit == 0 {
		o.CaptureLimit = DefaultCaptureLimit
	}
	if o.CheckpointLimit == 0 {
		o.CheckpointLimit = DefaultCheckpointLimit
	}
	if o.KeepRewinds == 0 {
		o.KeepRewinds = DefaultKeepRewinds
	}
	if o.KeepTurns == 0 {
		o.KeepTurns = DefaultKeepTurns
	}
	if o.TurnsLimit == 0 {
		o.TurnsLimit = DefaultTurnsLimit
	}
	if o.Redact == nil {
		o.Redact = redact.Line
	}
	if o.Condensed == nil {
		o.Condensed = func(id.CheckpointID, []id.SessionID) {}
	}
	if o.HumanPresent == nil {
		o.HumanPresent = func() bool { return false }
	}
	return &ManualCommitStrategy{Options: o, repo: o.Repo, store: o.Store}
}

// committer returns who makes the commit that this process belongs to.
func (s *ManualCommitStrategy) committer() committer {
	return committer{person: s.HumanPresent(), agent: s.AgentShell}
}

// Response is what a hook tells the agent.
type Response struct {
	Output []byte // what the hook prints on its standard output; nil for nothing
}

// Handle carries out one event of an agent, after finishing what an earlier crash left undone. On
// an error, nothing that was captured before is lost.
func (s *ManualCommitStrategy) Handle(ctx context.Context, ev agent.Event) (Response, error) {
	if s.auto {
		return s.handleAndCommit(ctx, ev)
	}
	return s.handle(ctx, ev)
}

// handle carries out one event without a commit.
func (s *ManualCommitStrategy) handle(ctx context.Context, ev agent.Event) (Response, error) {
	if s.repo.Top == "" {
		return Response{}, fmt.Errorf("handle %s: a bare repository has no files to keep", ev.Type)
	}
	if _, err := s.Recover(ctx); err != nil {
		s.Log.Error("recovery incomplete", "err", err)
	}
	defer s.bringAlong(ctx)
	var resp Response
	err := s.mending(ctx, func() error {
		return s.recordingMissed(ctx, ev.SessionID, func() (err error) {
			resp, err = s.carryOutEvent(ctx, ev)
			return err
		})
	})
	s.noteOutcome(ev, err)
	if err != nil {
		return Response{}, fmt.Errorf("%s of session %s: %w", ev.Type, ev.SessionID, err)
	}
	return resp, nil
}

// carryOutEvent calls the function for the event's type; other types are ignored.
func (s *ManualCommitStrategy) carryOutEvent(ctx context.Context, ev agent.Event) (resp Response, err error) {
	switch ev.Type {
	case agent.SessionStart:
		resp, err = s.sessionStart(ctx, ev)
	case agent.TurnStart:
		err = s.turnStart(ctx, ev)
	case agent.TurnGoesOn:
		err = s.turnGoesOn(ctx, ev)
	case agent.TurnEnd:
		err = s.turnEnd(ctx, ev)
	case agent.SessionEnd:
		err = s.sessionEnd(ctx, ev)
	case agent.TaskStart:
		err = s.taskStart(ctx, ev)
	case agent.TaskEnd:
		err = s.taskEnd(ctx, ev)
	case agent.Todo:
		err = s.todo(ctx, ev)
	case agent.ToolStart, agent.ToolEnd:
		err = s.duringTurn(ctx, ev)
	default:
		s.Log.Debug("event ignored", "event", string(ev.Type))
	}
	return resp, err
}

// localDir is the folder of this worktree's own data: the cache of its files, the choices for
// commits in progress, the journal of a rewind.
func (s *ManualCommitStrategy) localDir() string { return filepath.Join(s.repo.GitDir, "entire") }
