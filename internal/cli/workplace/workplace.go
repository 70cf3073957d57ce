package workplace

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"entire/agent"
	"entire/agent/agents"
	"entire/checkpoint/trailer"
	"entire/id"
	"entire/internal/cli/cliui"
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

// A Workplace is one worktree with everything that works on it.
type Workplace struct {
	Repo     *git.Repo
	Place    Place
	Settings config.Settings
	Store    *session.StateStore
	Engine   *sessionstate.Env
	Log      *slog.Logger
	CloseLog func() error
	Stored   []summarize.Job // checkpoints that this process stored
	Redact   func([]byte) []byte
	ident    *project.Identity // the project of a folder outside git; nil in a repository
	partial  bool              // what a partial clone lacks may be fetched
}

// discover finds the repository around dir. Of one that another user owns, which git does not open, the hint
// has the command with which git would.
func discover(ctx context.Context, env *cliui.Env, dir string) (*git.Repo, error) {
	repo, err := git.Discover(ctx, dir, env.Environ)
	var refused *git.ExitError
	if errors.As(err, &refused) {
		for line := range strings.Lines(refused.Stderr) {
			if line = strings.TrimSpace(line); strings.HasPrefix(line, "git config --global --add safe.directory ") {
				return nil, cliui.Failf("if you trust its owner: "+cliui.ShownLine(line), "%w", err)
			}
		}
	}
	return repo, err
}

// OpenAt opens the worktree around dir. It returns an error of the settings together with a
// usable workplace, because a hook continues with the settings it could read.
func OpenAt(ctx context.Context, env *cliui.Env, dir string) (wp *Workplace, settingsErr, err error) {
	repo, err := discover(ctx, env, dir)
	if err != nil {
		return nil, nil, err
	}
	wp = &Workplace{Repo: repo, Place: FindPlace(repo.Top), Store: session.NewStateStore(repo.CommonDir)}
	if wp.Place.Top == "" {
		wp.Place = Place{Top: repo.Top, Settings: repo.Top}
	}
	hidden := wp.Place.showHidden(ctx, repo)
	wp.Settings, settingsErr = config.Load(wp.Place.Settings)
	settingsErr = errors.Join(settingsErr, hidden)
	UseRedaction(wp.Settings)
	wp.Log, wp.CloseLog = NewLog(wp.logPath(), LogLevel(env, wp.Settings))
	wp.openVault(ctx, env)
	wp.Redact = redact.Line
	capture := wp.Settings.Capture()
	keepTurns, turnsLimit := wp.Settings.Turns()
	wp.choose(sessionstate.Options{
		Redact: func(line []byte) []byte { return wp.Redact(line) },
		Repo:   repo, Store: wp.Store, Now: env.Now, Log: wp.Log, Version: env.Version, Home: env.Home(),
		TranscriptDirs: TranscriptDirs(env),
		Credits:        creditRules(wp.Settings),
		CommitLinking:  wp.Settings.CommitLinking(), HumanPresent: env.PersonPresent, AgentShell: env.AgentShell(), NoEditor: env.Getenv("GIT_EDITOR") == ":",
		Condensed:       wp.noteStored,
		TranscriptMoved: conversationMoved(env, wp),
		Confirm: func(ctx context.Context, question string, detail string) bool {
			return confirmLink(ctx, env, question, detail)
		},
		Invocation:      func() (git.Invocation, bool) { return git.InvocationAbove(os.Getppid()) },
		NoGitAbove:      func() bool { return git.NoGitAbove(os.Getppid()) },
		MessageBoxAbove: func() bool { return git.MessageBoxAbove(os.Getppid()) },
		Caller:          func() (git.Ancestor, bool) { return git.CallerAbove(os.Getppid()) },
		Above:           func() []git.Ancestor { return git.Ancestors(os.Getppid()) },
		OpenRepo: func(ctx context.Context, top string) (*git.Repo, error) {
			return git.Discover(ctx, top, anywhere(env.Environ))
		},
		CheckpointRefs: wp.Settings.CheckpointRefs,
		Stating:        wp.stating(env.Now), CheckpointRemotes: wp.Settings.CheckpointRemotes(),
		KeepSessions: !wp.Settings.PushSessions(), Tell: func(line string) { fmt.Fprintln(env.Err, cliui.Printable(line)) },
		Committing:   env.Getenv(autocommit.CommittingVar) != "",
		CaptureLimit: capture.MaxFile, CheckpointLimit: capture.MaxCheckpoint, IncludeIgnored: capture.IncludeIgnored,
		KeepRewinds: wp.Settings.KeepRewinds(), KeepTurns: keepTurns, TurnsLimit: turnsLimit,
		ReadWithin: cliui.HookLimit / 2,
	})
	return wp, settingsErr, nil
}

// UseRedaction redacts with the rules of the settings, too, from now on. Load reported those that cannot be
// used.
func UseRedaction(s config.Settings) { _ = redact.Use(s.Redaction) }

// creditRules returns the rules of the settings for trailers that name agents.
func creditRules(s config.Settings) (rules []trailer.CreditRule) {
	for _, r := range s.Trailers() {
		rules = append(rules, trailer.CreditRule{Paths: r.Paths, Form: r.Form})
	}
	return rules
}

// anywhere returns the environment without the variables that name one repository, as git sets them for its
// hooks.
func anywhere(environ []string) []string {
	var out []string
	for _, kv := range environ {
		switch name, _, _ := strings.Cut(kv, "="); name {
		case "GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_COMMON_DIR", "GIT_PREFIX", "GIT_OBJECT_DIRECTORY":
		default:
			out = append(out, kv)
		}
	}
	return out
}

// TranscriptDirs returns the folders that the environment names instead of those in which agents
// keep transcripts.
func TranscriptDirs(env *cliui.Env) map[agent.AgentName]string {
	dirs := map[agent.AgentName]string{}
	for _, ag := range agents.All() {
		variable := ag.Profile().TranscriptsVar
		if variable == "" {
			continue
		}
		if dir := env.Getenv(variable); filepath.IsAbs(dir) {
			dirs[ag.Name()] = dir
		}
	}
	return dirs
}

// choose creates the strategy that the settings name; for an unknown name, the default.
func (wp *Workplace) choose(o sessionstate.Options) {
	if wp.Settings.Strategy == condense.StrategyAuto {
		wp.Engine = autocommit.NewAutoCommit(o)
		return
	}
	wp.Engine = sessionstate.New(o)
}

// logPath returns "" where Entire is not set up, so that no file appears there.
func (wp *Workplace) logPath() string {
	if !wp.Place.SetUp {
		return ""
	}
	return wp.Place.LogPath(wp.Repo.GitDir)
}

func (wp *Workplace) Close() {
	wp.Repo.Close()
	wp.CloseLog()
}

func LogLevel(env *cliui.Env, s config.Settings) string {
	if level := env.Getenv("ENTIRE_LOG_LEVEL"); level != "" {
		return level
	}
	return s.LogLevel
}

// Open opens the worktree around the current directory for a command, and finishes what a crash
// interrupted.
func Open(ctx context.Context, env *cliui.Env) (*Workplace, error) {
	wp, err := OpenWithoutRecovery(ctx, env)
	if err != nil {
		return nil, err
	}
	Recover(ctx, env, wp)
	return wp, nil
}

// Recover finishes what a killed command began, and says so.
func Recover(ctx context.Context, env *cliui.Env, wp *Workplace) {
	lines, err := rewind.Recover(ctx, wp.Engine)
	for _, line := range lines {
		fmt.Fprintln(env.Err, line)
	}
	if err != nil {
		fmt.Fprintf(env.Err, "warning: %v\n", err)
		wp.Log.Error("recovery incomplete", "err", err)
	}
}

// OpenWithoutRecovery is open without the recovery.
func OpenWithoutRecovery(ctx context.Context, env *cliui.Env) (*Workplace, error) {
	wp, settingsErr, err := OpenHere(ctx, env, cliui.Failf("run this inside a repository, or make one with `git init`", "not a git repository"))
	if err == nil && settingsErr != nil {
		wp.Log.Warn("settings not understood", "err", settingsErr)
	}
	return wp, err
}

// OpenHere opens the worktree around the current directory; if there is no repository, it returns
// the error none.
func OpenHere(ctx context.Context, env *cliui.Env, none error) (wp *Workplace, settingsErr, err error) {
	dir, err := env.Here()
	if err != nil {
		return nil, nil, err
	}
	wp, settingsErr, err = OpenAt(ctx, env, dir)
	switch {
	case errors.Is(err, git.ErrNotRepository):
		return nil, nil, none
	case err != nil:
		return nil, nil, err
	case wp.Repo.Top == "" && !wp.Repo.Bare:
		wp.Close()
		where, worktree := NoWorktree(env)
		return nil, nil, cliui.Failf("run this in "+worktree, "this folder is %s", where)
	case wp.Repo.Top == "":
		wp.Close()
		return nil, nil, cliui.Failf("run this in one of the repository's worktrees", "a bare repository has no files to keep")
	}
	wp.UseIdentities(env)
	return wp, settingsErr, nil
}

// NoWorktree says, in a folder of a repository that is not in its worktree, what the folder is and where the worktree is.
func NoWorktree(env *cliui.Env) (where, worktree string) {
	if dir := env.Getenv("GIT_WORK_TREE"); dir != "" && env.Getenv("GIT_DIR") != "" {
		return "outside the worktree that GIT_WORK_TREE names", cliui.ShownName(dir)
	}
	return "git's own, outside the worktree", "the worktree"
}

// OpenEnabled is open for commands that do nothing while Entire is disabled: it says so and returns a
// nil workplace.
func OpenEnabled(ctx context.Context, env *cliui.Env) (wp *Workplace, err error) {
	place, err := PlaceHere(env)
	if err == nil && place.Off() {
		_, err := fmt.Fprintln(env.Out, "Entire is disabled. Run `entire enable` to re-enable.")
		return nil, err
	}
	if wp, top, err := folderPoints(ctx, env); err != nil || top != "" {
		return wp, err
	}
	return Open(ctx, env)
}

// OpenEnabledRepo is guarded for commands that need a repository.
func OpenEnabledRepo(ctx context.Context, env *cliui.Env) (wp *Workplace, err error) {
	if top, err := FolderHere(ctx, env); err == nil && top != "" {
		return Open(ctx, env) // returns the error "not a git repository"
	}
	return OpenEnabled(ctx, env)
}

// noteStored remembers the checkpoints that this process stored.
func (wp *Workplace) noteStored(cp id.CheckpointID, sessions []id.SessionID) {
	wp.Stored = append(wp.Stored, summarize.Job{Checkpoint: cp, Sessions: slices.Clone(sessions)})
}
