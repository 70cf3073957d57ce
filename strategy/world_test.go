package strategy

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"entire/agent"
	"entire/id"
	"entire/internal/git"
	"entire/internal/testrepo"
	"entire/session"
)

// world is a repository with an agent and a person at work in it. Every event
// is handled by an engine of its own, as by a process of its own.
type world struct {
	*testrepo.Repo
	t      *testing.T
	now    time.Time
	ctx    context.Context
	tty    bool
	editor bool              // who commits has no terminal, and is no agent
	auto   bool              // the strategy is auto-commit
	live   map[string]string // session -> transcript
	tune   func(*Options)    // what the settings say
}

func newWorld(t *testing.T, opts ...testrepo.Option) *world {
	t.Helper()
	r := testrepo.New(t, opts...)
	return &world{Repo: r, t: t, now: time.Now().Add(-time.Hour), ctx: t.Context(), live: map[string]string{}}
}

// engine opens the repository anew, in the environment git would give a hook.
func (w *world) engine(extra ...string) *ManualCommitStrategy {
	w.t.Helper()
	repo, err := git.Discover(w.ctx, w.Dir, append(append([]string{}, w.Env...), extra...))
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { repo.Close() })
	w.now = w.now.Add(time.Second)
	e := New(Options{
		Repo: repo, Store: session.NewStateStore(repo.CommonDir), Now: func() time.Time { return w.now },
		Log: slog.New(slog.NewTextHandler(io.Discard, nil)), Version: "test", Home: w.Home,
		HumanPresent: func() bool { return w.tty }, AgentShell: !w.tty && !w.editor,
	})
	e.auto = w.auto
	if w.tune != nil {
		w.tune(&e.Options)
	}
	return e
}

func (w *world) event(kind agent.EventType, sid string, fill func(*agent.Event)) {
	w.t.Helper()
	ev := agent.Event{Type: kind, Agent: agent.AgentNameClaudeCode, AgentType: agent.AgentTypeClaudeCode, SessionID: sessionID(w.t, sid),
		TranscriptPath: w.transcript(sid), Dir: w.Dir, Time: w.now}
	if fill != nil {
		fill(&ev)
	}
	if _, err := w.engine().Handle(w.ctx, ev); err != nil {
		w.t.Fatalf("%s: %v", kind, err)
	}
}

func sessionID(t testing.TB, s string) id.SessionID {
	t.Helper()
	sid, err := id.ParseSessionID(s)
	if err != nil {
		t.Fatal(err)
	}
	return sid
}

func (w *world) transcript(sid string) string {
	if w.live[sid] == "" {
		w.live[sid] = filepath.Join(w.Home, "projects", sid+".jsonl")
		if err := os.MkdirAll(filepath.Dir(w.live[sid]), 0o755); err != nil {
			w.t.Fatal(err)
		}
		w.say(sid, "summary", "hello")
	}
	return w.live[sid]
}

// say appends a line to the session's transcript.
func (w *world) say(sid, kind, text string) {
	w.t.Helper()
	line, err := json.Marshal(map[string]any{"type": kind, "uuid": fmt.Sprintf("u-%d", time.Now().UnixNano()),
		"message": map[string]any{"role": kind, "content": text}})
	if err != nil {
		w.t.Fatal(err)
	}
	f, err := os.OpenFile(w.transcript(sid), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		w.t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.Write(append(line, '\n')); err != nil {
		w.t.Fatal(err)
	}
}

// turn is one prompt, the agent's work, and the end of the turn.
func (w *world) turn(sid, prompt string, do func()) {
	w.t.Helper()
	w.prompt(sid, prompt)
	do()
	w.stop(sid)
}

func (w *world) prompt(sid, prompt string) {
	w.t.Helper()
	w.event(agent.TurnStart, sid, func(ev *agent.Event) { ev.Prompt = prompt })
	w.say(sid, "user", prompt)
}

func (w *world) stop(sid string) {
	w.t.Helper()
	w.say(sid, "assistant", "done")
	w.event(agent.TurnEnd, sid, nil)
}

// commit does what git does around a commit, with our hooks in between.
func (w *world) commit(msg string, args ...string) string {
	w.t.Helper()
	file := w.GitPath("COMMIT_EDITMSG")
	if err := os.WriteFile(file, []byte(msg+"\n"), 0o644); err != nil {
		w.t.Fatal(err)
	}
	e := w.engine()
	e.NoEditor = true
	if err := e.PrepareCommitMsg(w.ctx, file, "message"); err != nil {
		w.t.Fatalf("prepare-commit-msg: %v", err)
	}
	w.Git(append([]string{"commit", "-q", "--no-verify", "-F", file}, args...)...)
	if err := w.engine().PostCommit(w.ctx); err != nil {
		w.t.Fatalf("post-commit: %v", err)
	}
	return w.Git("log", "-1", "--format=%(trailers:key=Entire-Checkpoint,valueonly)")
}

func (w *world) shadows() []string {
	w.t.Helper()
	var out []string
	for _, ref := range strings.Fields(w.Git("for-each-ref", "--format=%(refname)", "refs/heads/entire/")) {
		if !strings.Contains(ref, "checkpoints") {
			out = append(out, ref)
		}
	}
	return out
}

func (w *world) state(sid string) *session.State {
	w.t.Helper()
	st, err := session.NewStateStore(w.GitPath(".")).Load(w.ctx, sessionID(w.t, sid))
	if err != nil {
		w.t.Fatal(err)
	}
	return st
}

func (w *world) points() []RewindPoint {
	w.t.Helper()
	p, err := w.engine().Points(w.ctx, 0)
	if err != nil {
		w.t.Fatal(err)
	}
	return p
}

func (w *world) rewind(pid string) *RewindOutcome {
	w.t.Helper()
	e := w.engine()
	p, err := e.FindPoint(w.ctx, pid)
	if err != nil {
		w.t.Fatal(err)
	}
	plan, err := e.PlanRewind(w.ctx, p, Scope{Kind: ScopeTree})
	if err != nil {
		w.t.Fatal(err)
	}
	out, err := e.Rewind(w.ctx, plan)
	if err != nil {
		w.t.Fatal(err)
	}
	return out
}

// metadata reads a file of a stored checkpoint.
func (w *world) metadata(cp, file string) string {
	w.t.Helper()
	if len(cp) < 2 {
		w.t.Fatal("the commit is not linked")
	}
	return w.Git("show", "entire/checkpoints/v1:"+cp[:2]+"/"+cp[2:]+"/"+file)
}
