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

// What a step holds at most, in bytes, where the options do not say.
const (
	DefaultCaptureLimit    = 64 << 20  // of one file
	DefaultCheckpointLimit = 512 << 20 // of all files that differ from HEAD
)

// LinkPrompt, as CommitLinking, asks on a terminal before a commit is linked.
const LinkPrompt = "prompt"

// Options are what the engine is given by its caller; it reads no environment
// and no clock of its own.
type Options struct {
	Repo    *git.Repo
	Store   *session.StateStore
	Now     func() time.Time
	Log     *slog.Logger
	Version string // written into the files we make
	Home    string // the user's home directory, for transcript paths
	// TranscriptDirs replace the folders in which agents keep transcripts.
	TranscriptDirs map[agent.AgentName]string

	// Redact takes secrets out of a line of a transcript, or out of one that is one
	// document; nil is package redact. It must do what that does.
	Redact func([]byte) []byte

	CommitLinking string // "always" (default) or LinkPrompt
	CaptureLimit  int64  // bytes per file; 0 is DefaultCaptureLimit

	CheckpointLimit int64    // bytes per step; 0 is DefaultCheckpointLimit
	IncludeIgnored  []string // patterns of ignored files that a step holds all the same

	// ReadWithin is how long an event in a hook reads files, and half of it how long it
	// reads the conversation, before it saves what it has; 0 is as long as it takes.
	ReadWithin time.Duration

	KeepRewinds time.Duration // how long what a rewind replaced is kept at least; 0 is DefaultKeepRewinds

	KeepTurns  time.Duration // how long turns that commits have taken are kept; 0 is DefaultKeepTurns, less is not at all
	TurnsLimit int64         // bytes that these may need; 0 is DefaultTurnsLimit

	HumanPresent func() bool // is a person at a terminal; nil is nobody
	AgentShell   bool        // this process runs in a shell that an agent has opened
	Committing   bool        // a hook of the commit that auto-commit is making: nothing to do
	NoEditor     bool        // git says that the message goes to no editor (GIT_EDITOR is ":")

	// Condensed is told of every checkpoint stored for a commit, and of the
	// sessions whose part in it is new; nil for nobody.
	Condensed func(id.CheckpointID, []id.SessionID)

	// Confirm asks the person at the terminal a question, with a line of detail;
	// without an answer in a short time the answer is yes. Nil is yes.
	Confirm func(ctx context.Context, question, detail string) bool

	// TalkMoved is told where an agent's transcript was taken back or forth; nil for
	// nobody.
	TalkMoved func(ctx context.Context, sid id.SessionID, kind agent.AgentType, path string)

	// Invocation is the command line of the git that runs this hook; nil where
	// nobody can tell.
	Invocation func() (git.Invocation, bool)

	KeepSessions bool              // push_sessions is false: no push takes sessions along
	Tell         func(line string) // shows a person a line from within a hook; nil is nobody
}

// ManualCommitStrategy keeps every turn on a shadow branch and condenses it
// into the metadata branch when somebody commits. It serves one call at a time.
type ManualCommitStrategy struct {
	Options
	repo    *git.Repo
	store   *session.StateStore
	cache   *worktreeCache  // loaded on first use
	umask   *fs.FileMode    // read on first use
	invoked *git.Invocation // read on first use
	auto    bool            // commits at the end of every turn
	moves   []headMove      // that other sessions have still to follow

	// missed are commits that are being recorded though no hook of ours saw them, and those
	// that they took the place of; nil until they were looked for.
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

// committer is who makes the commit that this process belongs to.
func (s *ManualCommitStrategy) committer() committer {
	return committer{person: s.HumanPresent(), agent: s.AgentShell}
}

// Response is what a hook may tell the agent.
type Response struct {
	Output []byte // what the hook prints on its standard output; nil for nothing
}

// Handle carries out one event of an agent. Whatever an earlier crash left is
// finished first. On an error nothing that was captured before is lost.
func (s *ManualCommitStrategy) Handle(ctx context.Context, ev agent.Event) (Response, error) {
	if s.auto {
		return s.handleAndCommit(ctx, ev)
	}
	return s.handle(ctx, ev)
}

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

// localDir is where this worktree's own facts lie: the cache of its files, the
// choice made for a commit under way, the journal of a rewind.
func (s *ManualCommitStrategy) localDir() string { return filepath.Join(s.repo.GitDir, "entire") }
