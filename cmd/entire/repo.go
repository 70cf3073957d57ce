package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"

	"entire/agent"
	"entire/internal/config"
	"entire/internal/git"
	"entire/internal/project"
	"entire/internal/redact"
	"entire/internal/summarize"
	"entire/session"
	"entire/strategy/autocommit"
	"entire/strategy/condense"
	"entire/strategy/rewind"
	"entire/strategy/sessionstate"
)

// A workplace is one worktree with everything that works on it.
type workplace struct {
	repo     *git.Repo
	place    place
	settings config.Settings
	store    *session.StateStore
	engine   *sessionstate.Env
	log      *slog.Logger
	closeLog func() error
	stored   []summarize.Job // checkpoints that this process stored
	redact   func([]byte) []byte
	ident    *project.Identity // the project of a folder outside git; nil in a repository
}

// openAt opens the worktree around dir. It returns an error of the settings together with a
// usable workplace, because a hook continues with the settings it could read.
func (w *world) openAt(ctx context.Context, dir string) (wp *workplace, settingsErr, err error) {
	repo, err := git.Discover(ctx, dir, w.environ)
	if err != nil {
		return nil, nil, err
	}
	wp = &workplace{repo: repo, place: findPlace(repo.Top), store: session.NewStateStore(repo.CommonDir)}
	if wp.place.top == "" {
		wp.place = place{top: repo.Top, settings: repo.Top}
	}
	hidden := wp.place.showHidden(ctx, repo)
	wp.settings, settingsErr = config.Load(wp.place.settings)
	settingsErr = errors.Join(settingsErr, hidden)
	wp.log, wp.closeLog = newLog(wp.logPath(), w.logLevel(wp.settings))
	wp.redact = redact.Line
	capture := wp.settings.Capture()
	keepTurns, turnsLimit := wp.settings.Turns()
	wp.choose(sessionstate.Options{
		Redact: func(line []byte) []byte { return wp.redact(line) },
		Repo:   repo, Store: wp.store, Now: w.now, Log: wp.log, Version: w.version, Home: w.home(),
		TranscriptDirs: w.transcriptDirs(),
		CommitLinking:  wp.settings.CommitLinking(), HumanPresent: w.personPresent, AgentShell: w.agentShell(), NoEditor: w.env("GIT_EDITOR") == ":",
		Condensed:       wp.noteStored,
		TranscriptMoved: w.talkMoved(wp),
		Confirm:         w.confirmLink,
		Invocation:      func() (git.Invocation, bool) { return git.InvocationAbove(os.Getppid()) },
		KeepSessions:    !wp.settings.PushSessions(), Tell: func(line string) { fmt.Fprintln(w.err, printable(line)) },
		Committing:   w.env(autocommit.CommittingVar) != "",
		CaptureLimit: capture.MaxFile, CheckpointLimit: capture.MaxCheckpoint, IncludeIgnored: capture.IncludeIgnored,
		KeepRewinds: wp.settings.KeepRewinds(), KeepTurns: keepTurns, TurnsLimit: turnsLimit,
		ReadWithin: hookLimit / 2,
	})
	return wp, settingsErr, nil
}

// transcriptDirs returns the folders that the environment names instead of those in which agents
// keep transcripts.
func (w *world) transcriptDirs() map[agent.AgentName]string {
	dirs := map[agent.AgentName]string{}
	for name, variable := range map[agent.AgentName]string{
		agent.AgentNameClaudeCode: "ENTIRE_TEST_CLAUDE_PROJECT_DIR",
		agent.AgentNameGemini:     "ENTIRE_TEST_GEMINI_PROJECT_DIR",
	} {
		if dir := w.env(variable); filepath.IsAbs(dir) {
			dirs[name] = dir
		}
	}
	return dirs
}

// choose creates the strategy that the settings name; for an unknown name, the default.
func (wp *workplace) choose(o sessionstate.Options) {
	if wp.settings.Strategy == condense.StrategyAuto {
		wp.engine = autocommit.NewAutoCommit(o)
		return
	}
	wp.engine = sessionstate.New(o)
}

// logPath returns "" where Entire is not set up, so that no file appears there.
func (wp *workplace) logPath() string {
	if !wp.place.setUp {
		return ""
	}
	return wp.place.logPath(wp.repo.GitDir)
}

func (wp *workplace) close() {
	wp.repo.Close()
	wp.closeLog()
}

func (w *world) logLevel(s config.Settings) string {
	if level := w.env("ENTIRE_LOG_LEVEL"); level != "" {
		return level
	}
	return s.LogLevel
}

// open opens the worktree around the current directory for a command, and finishes what a crash
// interrupted.
func (w *world) open(ctx context.Context) (*workplace, error) {
	wp, err := w.openQuietly(ctx)
	if err != nil {
		return nil, err
	}
	w.recover(ctx, wp)
	return wp, nil
}

// recover finishes what a killed command began, and says so.
func (w *world) recover(ctx context.Context, wp *workplace) {
	lines, err := rewind.Recover(ctx, wp.engine)
	for _, line := range lines {
		fmt.Fprintln(w.err, line)
	}
	if err != nil {
		fmt.Fprintf(w.err, "warning: %v\n", err)
		wp.log.Error("recovery incomplete", "err", err)
	}
}

// openQuietly is open without the recovery.
func (w *world) openQuietly(ctx context.Context) (*workplace, error) {
	wp, settingsErr, err := w.openHere(ctx, failf("run this inside a repository, or make one with `git init`", "not a git repository"))
	if err == nil && settingsErr != nil {
		wp.log.Warn("settings not understood", "err", settingsErr)
	}
	return wp, err
}

// openHere opens the worktree around the current directory; if there is no repository, it returns
// the error none.
func (w *world) openHere(ctx context.Context, none error) (wp *workplace, settingsErr, err error) {
	dir, err := w.getwd()
	if err != nil {
		return nil, nil, fmt.Errorf("find the current directory: %w", err)
	}
	wp, settingsErr, err = w.openAt(ctx, dir)
	switch {
	case errors.Is(err, git.ErrNotRepository):
		return nil, nil, none
	case err != nil:
		return nil, nil, err
	case wp.repo.Top == "":
		wp.close()
		return nil, nil, failf("run this in one of the repository's worktrees", "a bare repository has no files to keep")
	}
	return wp, settingsErr, nil
}

// guarded is open for commands that do nothing while Entire is disabled: it says so and returns a
// nil workplace.
func (w *world) guarded(ctx context.Context) (wp *workplace, err error) {
	dir, err := w.getwd()
	if err == nil && findPlace(dir).off() {
		_, err := fmt.Fprintln(w.out, "Entire is disabled. Run `entire enable` to re-enable.")
		return nil, err
	}
	if wp, top, err := w.folderPoints(ctx); err != nil || top != "" {
		return wp, err
	}
	return w.open(ctx)
}

// guardedRepo is guarded for commands that need a repository.
func (w *world) guardedRepo(ctx context.Context) (wp *workplace, err error) {
	if top, err := w.folderHere(ctx); err == nil && top != "" {
		return w.open(ctx) // returns the error "not a git repository"
	}
	return w.guarded(ctx)
}
