package enginetest

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"entire/agent"
	"entire/internal/git"
	"entire/internal/testrepo"
	"entire/session"
	"entire/strategy/autocommit"
	"entire/strategy/engine"
	"entire/strategy/sessionstate"
	"entire/strategy/worktree"
)

// asHook makes the test binary act as a hook: what git runs, and what an agent
// runs, is a process of its own.
const asHook = "STRATEGY_TEST_HOOK"

// personThere tells a hook that somebody sits at a terminal.
const personThere = "STRATEGY_TEST_PERSON"

// asAuto makes that hook one of auto-commit.
const asAuto = "STRATEGY_TEST_AUTO"

func actAsHook(ctx context.Context, verb string, args []string) error {
	dir, err := os.Getwd()
	if err != nil {
		return err
	}
	repo, err := git.Discover(ctx, dir, os.Environ())
	if err != nil {
		return err
	}
	defer repo.Close()
	e := sessionstate.New(sessionstate.Options{Repo: repo, Store: session.NewStateStore(repo.CommonDir), Now: time.Now, Version: "test",
		Log: slog.New(slog.NewTextHandler(io.Discard, nil)), Home: os.Getenv("HOME"),
		NoEditor:     os.Getenv("GIT_EDITOR") == ":",
		HumanPresent: func() bool { return os.Getenv(personThere) != "" }, AgentShell: os.Getenv(personThere) == "",
		Invocation: func() (git.Invocation, bool) { return git.InvocationAbove(os.Getppid()) },
		Caller:     func() (git.Ancestor, bool) { return git.CallerAbove(os.Getppid()) },
		Above:      func() []git.Ancestor { return git.Ancestors(os.Getppid()) },
		Committing: os.Getenv(autocommit.CommittingVar) != ""})
	e.Auto = os.Getenv(asAuto) != ""
	arg := func(i int) string {
		if i < len(args) {
			return args[i]
		}
		return ""
	}
	switch verb {
	case "prepare-commit-msg":
		return engine.PrepareCommitMsg(ctx, e, arg(0), arg(1))
	case "commit-msg":
		return engine.CommitMsg(ctx, e, arg(0))
	case "post-commit":
		return engine.PostCommit(ctx, e)
	case "event":
		var ev agent.Event
		if err := json.NewDecoder(os.Stdin).Decode(&ev); err != nil {
			return err
		}
		_, err := engine.Handle(ctx, e, ev)
		return err
	}
	return fmt.Errorf("no hook %q", verb)
}

// Hooked is a world in which git itself runs the hooks.
func (w *World) Hooked() *World {
	w.T.Helper()
	self, err := os.Executable()
	if err != nil {
		w.T.Fatal(err)
	}
	dir := w.GitPath("hooks")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		w.T.Fatal(err)
	}
	for _, name := range []string{"prepare-commit-msg", "commit-msg", "post-commit"} {
		script := fmt.Sprintf("#!/bin/sh\n%s=%s STRATEGY_TEST_NOTE='%s' exec '%s' \"$@\"\n", asHook, name, w.Notes(), self)
		testrepo.WriteScript(w.T, filepath.Join(dir, name), script)
	}
	return w
}

func (w *World) Notes() string { return filepath.Join(w.Home, "hook-errors") }

// GitCommit runs `git commit` with hooks and returns the commit's checkpoint.
func (w *World) GitCommit(args ...string) string {
	w.T.Helper()
	w.Git(append([]string{"commit", "-q"}, args...)...)
	w.HooksWentWell()
	return w.Trailer("HEAD")
}

func (w *World) HooksWentWell() {
	w.T.Helper()
	if said, err := os.ReadFile(w.Notes()); err == nil {
		w.T.Fatalf("a hook failed: %s", said)
	}
}

func (w *World) Trailer(rev string) string {
	w.T.Helper()
	return w.Git("log", "-1", "--format=%(trailers:key=Entire-Checkpoint,valueonly)", rev)
}

// Process is the event as a process of its own.
func (w *World) Process(kind agent.EventType, sid, prompt string) *exec.Cmd {
	w.T.Helper()
	self, err := os.Executable()
	if err != nil {
		w.T.Fatal(err)
	}
	payload, err := json.Marshal(agent.Event{Type: kind, Agent: agent.AgentNameClaudeCode, AgentType: agent.AgentTypeClaudeCode,
		SessionID: SessionID(w.T, sid), TranscriptPath: w.Transcript(sid), Dir: w.Dir, Prompt: prompt})
	if err != nil {
		w.T.Fatal(err)
	}
	cmd := w.Command(self)
	cmd.Env = append(cmd.Env, asHook+"=event", "STRATEGY_TEST_NOTE="+w.Notes())
	if w.Auto {
		cmd.Env = append(cmd.Env, asAuto+"=1")
	}
	cmd.Stdin = strings.NewReader(string(payload))
	return cmd
}

// StepsOn are the subjects of the steps on a shadow branch, newest first.
func (w *World) StepsOn(ref string) []string {
	w.T.Helper()
	out := w.Git("log", "--first-parent", "--format=%s", ref)
	if out == "" {
		return nil
	}
	return strings.Split(out, "\n")
}

// FilesOf are the paths in a commit's tree below our folder's siblings.
func (w *World) FilesOf(rev string) []string {
	w.T.Helper()
	var out []string
	for _, p := range strings.Fields(w.Git("ls-tree", "-r", "--name-only", rev)) {
		if !worktree.OwnPath(p) {
			out = append(out, p)
		}
	}
	return out
}

// Elsewhere is the same story in another worktree of the repository.
func (w *World) Elsewhere(name string) *World {
	w.T.Helper()
	return &World{Repo: w.Worktree(name), T: w.T, Now: w.Now, Ctx: w.Ctx, Live: w.Live}
}

// StateOf is state for a worktree of any shape.
func (w *World) StateOf(sid string) *session.State {
	w.T.Helper()
	st, err := w.Engine().Store.Load(w.Ctx, SessionID(w.T, sid))
	if err != nil {
		w.T.Fatal(err)
	}
	return st
}

func (w *World) Touched(sid string) string {
	w.T.Helper()
	return strings.Join(w.StateOf(sid).FilesTouched, " ")
}

// RunMain runs the tests of a package, or a hook where this process is one.
func RunMain(m *testing.M) {
	if verb := os.Getenv(asHook); verb != "" {
		if err := actAsHook(context.Background(), verb, os.Args[1:]); err != nil {
			fmt.Fprintln(os.Stderr, "hook:", err)
			note, _ := os.OpenFile(os.Getenv("STRATEGY_TEST_NOTE"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
			fmt.Fprintf(note, "%s: %v\n", verb, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}
