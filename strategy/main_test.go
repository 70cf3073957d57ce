package strategy

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
)

// asHook makes the test binary act as a hook: what git runs, and what an agent
// runs, is a process of its own.
const asHook = "STRATEGY_TEST_HOOK"

// personThere tells a hook that somebody sits at a terminal.
const personThere = "STRATEGY_TEST_PERSON"

// asAuto makes that hook one of auto-commit.
const asAuto = "STRATEGY_TEST_AUTO"

func TestMain(m *testing.M) { runMain(m) }

// runMain runs the tests of a package, or a hook where this process is one.
func runMain(m *testing.M) {
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
	e := New(Options{Repo: repo, Store: session.NewStateStore(repo.CommonDir), Now: time.Now, Version: "test",
		Log: slog.New(slog.NewTextHandler(io.Discard, nil)), Home: os.Getenv("HOME"),
		NoEditor:     os.Getenv("GIT_EDITOR") == ":",
		HumanPresent: func() bool { return os.Getenv(personThere) != "" }, AgentShell: os.Getenv(personThere) == "",
		Invocation: func() (git.Invocation, bool) { return git.InvocationAbove(os.Getppid()) },
		Committing: os.Getenv(CommittingVar) != ""})
	e.auto = os.Getenv(asAuto) != ""
	arg := func(i int) string {
		if i < len(args) {
			return args[i]
		}
		return ""
	}
	switch verb {
	case "prepare-commit-msg":
		return e.PrepareCommitMsg(ctx, arg(0), arg(1))
	case "commit-msg":
		return e.CommitMsg(ctx, arg(0))
	case "post-commit":
		return e.PostCommit(ctx)
	case "event":
		var ev agent.Event
		if err := json.NewDecoder(os.Stdin).Decode(&ev); err != nil {
			return err
		}
		_, err := e.Handle(ctx, ev)
		return err
	}
	return fmt.Errorf("no hook %q", verb)
}

// hooked is a world in which git itself runs the hooks.
func (w *world) hooked() *world {
	w.t.Helper()
	self, err := os.Executable()
	if err != nil {
		w.t.Fatal(err)
	}
	dir := w.GitPath("hooks")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		w.t.Fatal(err)
	}
	for _, name := range []string{"prepare-commit-msg", "commit-msg", "post-commit"} {
		script := fmt.Sprintf("#!/bin/sh\n%s=%s STRATEGY_TEST_NOTE='%s' exec '%s' \"$@\"\n", asHook, name, w.notes(), self)
		testrepo.WriteScript(w.t, filepath.Join(dir, name), script)
	}
	return w
}

func (w *world) notes() string { return filepath.Join(w.Home, "hook-errors") }

// gitCommit runs `git commit` with hooks and returns the commit's checkpoint.
func (w *world) gitCommit(args ...string) string {
	w.t.Helper()
	w.Git(append([]string{"commit", "-q"}, args...)...)
	w.hooksWentWell()
	return w.trailer("HEAD")
}

func (w *world) hooksWentWell() {
	w.t.Helper()
	if said, err := os.ReadFile(w.notes()); err == nil {
		w.t.Fatalf("a hook failed: %s", said)
	}
}

func (w *world) trailer(rev string) string {
	w.t.Helper()
	return w.Git("log", "-1", "--format=%(trailers:key=Entire-Checkpoint,valueonly)", rev)
}

// process is the event as a process of its own.
func (w *world) process(kind agent.EventType, sid, prompt string) *exec.Cmd {
	w.t.Helper()
	self, err := os.Executable()
	if err != nil {
		w.t.Fatal(err)
	}
	payload, err := json.Marshal(agent.Event{Type: kind, Agent: agent.AgentNameClaudeCode, AgentType: agent.AgentTypeClaudeCode,
		SessionID: sessionID(w.t, sid), TranscriptPath: w.transcript(sid), Dir: w.Dir, Prompt: prompt})
	if err != nil {
		w.t.Fatal(err)
	}
	cmd := w.Command(self)
	cmd.Env = append(cmd.Env, asHook+"=event", "STRATEGY_TEST_NOTE="+w.notes())
	if w.auto {
		cmd.Env = append(cmd.Env, asAuto+"=1")
	}
	cmd.Stdin = strings.NewReader(string(payload))
	return cmd
}

// steps are the subjects of the steps on a shadow branch, newest first.
func (w *world) stepsOn(ref string) []string {
	w.t.Helper()
	out := w.Git("log", "--first-parent", "--format=%s", ref)
	if out == "" {
		return nil
	}
	return strings.Split(out, "\n")
}

// files are the paths in a commit's tree below our folder's siblings.
func (w *world) filesOf(rev string) []string {
	w.t.Helper()
	var out []string
	for _, p := range strings.Fields(w.Git("ls-tree", "-r", "--name-only", rev)) {
		if !ownPath(p) {
			out = append(out, p)
		}
	}
	return out
}

// elsewhere is the same story in another worktree of the repository.
func (w *world) elsewhere(name string) *world {
	w.t.Helper()
	return &world{Repo: w.Worktree(name), t: w.t, now: w.now, ctx: w.ctx, live: w.live}
}

// stateOf is state for a worktree of any shape.
func (w *world) stateOf(sid string) *session.State {
	w.t.Helper()
	st, err := w.engine().store.Load(w.ctx, sessionID(w.t, sid))
	if err != nil {
		w.t.Fatal(err)
	}
	return st
}

func (w *world) touched(sid string) string {
	w.t.Helper()
	return strings.Join(w.stateOf(sid).FilesTouched, " ")
}
