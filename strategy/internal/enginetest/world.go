package enginetest

import (
	"context"
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
	"entire/strategy/condense"
	"entire/strategy/engine"
	"entire/strategy/restore"
	"entire/strategy/rewind"
	"entire/strategy/sessionstate"
	"entire/strategy/share"
	"entire/strategy/step"
	"entire/strategy/turn"
)

func ReadFile(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func SameFiles(t *testing.T, w *World, want map[string]string) {
	t.Helper()
	got := w.Snapshot(".git").Contents()
	for p, v := range want {
		if got[p] != v {
			t.Errorf("%s: have %q, want %q", filepath.ToSlash(p), got[p], v)
		}
	}
	for p := range got {
		if _, ok := want[p]; !ok {
			t.Errorf("%s should not be there", p)
		}
	}
}

// Appends adds a line to a file, and says so as the editing tool's result does.
func (w *World) Appends(sid, call, path, line string) {
	w.T.Helper()
	had := ""
	if w.Exists(path) {
		had = w.Read(path)
	}
	w.Write(path, had+line)
	w.sayRaw(sid, map[string]any{"type": "assistant", "uuid": "e-" + call, "message": map[string]any{"role": "assistant", "id": "m-" + call, "model": "a-model", "content": []any{
		map[string]any{"type": "tool_use", "id": call, "name": "Edit", "input": map[string]any{"file_path": w.Path(path), "old_string": "x", "new_string": line}}}}})
	w.sayRaw(sid, map[string]any{"type": "user", "uuid": "r-" + call, "message": map[string]any{"role": "user", "content": []any{
		map[string]any{"type": "tool_result", "tool_use_id": call, "content": "ok"}}},
		"toolUseResult": map[string]any{"filePath": w.Path(path), "structuredPatch": []any{map[string]any{"lines": []any{"+" + line[:len(line)-1]}}}}})
}

func (w *World) Label(text string) step.RewindPoint {
	w.T.Helper()
	p, err := turn.SaveLabel(w.Ctx, w.Engine(), text)
	if err != nil {
		w.T.Fatal(err)
	}
	return p
}

// Blob is an object ID that stands for content n.
func Blob(n int) git.OID {
	oid, err := git.ParseOID(strings.Repeat("0", 36) + string([]byte{"0123456789abcdef"[n>>12&15], "0123456789abcdef"[n>>8&15], "0123456789abcdef"[n>>4&15], "0123456789abcdef"[n&15]}))
	if err != nil {
		panic(err)
	}
	return oid
}

func Holds(path string, n int) sessionstate.PathVersion {
	return sessionstate.PathVersion{Path: path, Mode: git.ModeFile, OID: Blob(n)}
}

// Pusher is an engine that notes what it tells.
func (w *World) Pusher(told *[]string) *sessionstate.Env {
	e := w.Engine()
	e.Tell = func(line string) { *told = append(*told, line) }
	return e
}

func (w *World) Agree(target string) {
	w.T.Helper()
	if _, err := share.Agree(w.Ctx, w.Engine(), target); err != nil {
		w.T.Fatal(err)
	}
}

func (w *World) RewindIn(pid string, sc condense.Scope) (*rewind.Plan, *restore.RewindOutcome) {
	w.T.Helper()
	e := w.Engine()
	p, err := step.FindPoint(w.Ctx, e, pid)
	if err != nil {
		w.T.Fatal(err)
	}
	plan, err := rewind.PlanRewind(w.Ctx, e, p, sc)
	if err != nil {
		w.T.Fatal(err)
	}
	out, err := rewind.Rewind(w.Ctx, e, plan)
	if err != nil {
		w.T.Fatal(err)
	}
	return plan, out
}

// World is a repository with an agent and a person at work in it. Every event
// is handled by an engine of its own, as by a process of its own.
type World struct {
	*testrepo.Repo
	T      *testing.T
	Now    time.Time
	Ctx    context.Context
	Tty    bool
	editor bool                        // who commits has no terminal, and is no agent
	Auto   bool                        // the strategy is auto-commit
	Live   map[string]string           // session -> transcript
	Tune   func(*sessionstate.Options) // what the settings say
}

func NewWorld(t *testing.T, opts ...testrepo.Option) *World {
	t.Helper()
	r := testrepo.New(t, opts...)
	return &World{Repo: r, T: t, Now: time.Now().Add(-time.Hour), Ctx: t.Context(), Live: map[string]string{}}
}

// Engine opens the repository anew, in the environment git would give a hook.
func (w *World) Engine(extra ...string) *sessionstate.Env {
	w.T.Helper()
	repo, err := git.Discover(w.Ctx, w.Dir, append(append([]string{}, w.Env...), extra...))
	if err != nil {
		w.T.Fatal(err)
	}
	w.T.Cleanup(func() { repo.Close() })
	w.Now = w.Now.Add(time.Second)
	e := sessionstate.New(sessionstate.Options{
		Repo: repo, Store: session.NewStateStore(repo.CommonDir), Now: func() time.Time { return w.Now },
		Log: slog.New(slog.NewTextHandler(io.Discard, nil)), Version: "test", Home: w.Home,
		OpenRepo:     func(ctx context.Context, top string) (*git.Repo, error) { return git.Discover(ctx, top, w.Env) },
		HumanPresent: func() bool { return w.Tty }, AgentShell: !w.Tty && !w.editor,
	})
	e.Auto = w.Auto
	if w.Tune != nil {
		w.Tune(&e.Options)
	}
	return e
}

func (w *World) Event(kind agent.EventType, sid string, fill func(*agent.Event)) {
	w.T.Helper()
	ev := agent.Event{Type: kind, Agent: agent.AgentNameClaudeCode, AgentType: agent.AgentTypeClaudeCode, SessionID: SessionID(w.T, sid),
		TranscriptPath: w.Transcript(sid), Dir: w.Dir, Time: w.Now}
	if fill != nil {
		fill(&ev)
	}
	if _, err := engine.Handle(w.Ctx, w.Engine(), ev); err != nil {
		w.T.Fatalf("%s: %v", kind, err)
	}
}

func SessionID(t testing.TB, s string) id.SessionID {
	t.Helper()
	sid, err := id.ParseSessionID(s)
	if err != nil {
		t.Fatal(err)
	}
	return sid
}

func (w *World) Transcript(sid string) string {
	if w.Live[sid] == "" {
		w.Live[sid] = filepath.Join(w.Home, "projects", sid+".jsonl")
		if err := os.MkdirAll(filepath.Dir(w.Live[sid]), 0o755); err != nil {
			w.T.Fatal(err)
		}
		w.Say(sid, "summary", "hello")
	}
	return w.Live[sid]
}

// Say appends a line to the session's transcript.
func (w *World) Say(sid, kind, text string) {
	w.T.Helper()
	w.sayRaw(sid, map[string]any{"type": kind, "uuid": fmt.Sprintf("u-%d", time.Now().UnixNano()),
		"message": map[string]any{"role": kind, "content": text}})
}

// Turn is one prompt, the agent's work, and the end of the turn.
func (w *World) Turn(sid, prompt string, do func()) {
	w.T.Helper()
	w.Prompt(sid, prompt)
	do()
	w.Stop(sid)
}

func (w *World) Prompt(sid, prompt string) {
	w.T.Helper()
	w.Event(agent.TurnStart, sid, func(ev *agent.Event) { ev.Prompt = prompt })
	w.Say(sid, "user", prompt)
}

func (w *World) Stop(sid string) {
	w.T.Helper()
	w.Say(sid, "assistant", "done")
	w.Event(agent.TurnEnd, sid, nil)
}

// CommitHooked does what git does around a commit, with our hooks in between.
func (w *World) CommitHooked(msg string, args ...string) string {
	w.T.Helper()
	file := w.GitPath("COMMIT_EDITMSG")
	if err := os.WriteFile(file, []byte(msg+"\n"), 0o644); err != nil {
		w.T.Fatal(err)
	}
	e := w.Engine()
	e.NoEditor = true
	if err := engine.PrepareCommitMsg(w.Ctx, e, file, "message"); err != nil {
		w.T.Fatalf("prepare-commit-msg: %v", err)
	}
	w.Git(append([]string{"commit", "-q", "--no-verify", "-F", file}, args...)...)
	if err := engine.PostCommit(w.Ctx, w.Engine()); err != nil {
		w.T.Fatalf("post-commit: %v", err)
	}
	return w.Git("log", "-1", "--format=%(trailers:key=Entire-Checkpoint,valueonly)")
}

func (w *World) Shadows() []string {
	w.T.Helper()
	var out []string
	for _, ref := range strings.Fields(w.Git("for-each-ref", "--format=%(refname)", "refs/heads/entire/")) {
		if !strings.Contains(ref, "checkpoints") {
			out = append(out, ref)
		}
	}
	return out
}

func (w *World) State(sid string) *session.State {
	w.T.Helper()
	st, err := session.NewStateStore(w.GitPath(".")).Load(w.Ctx, SessionID(w.T, sid))
	if err != nil {
		w.T.Fatal(err)
	}
	return st
}

func (w *World) Points() []step.RewindPoint {
	w.T.Helper()
	p, err := step.Points(w.Ctx, w.Engine(), 0)
	if err != nil {
		w.T.Fatal(err)
	}
	return p
}

func (w *World) Rewind(pid string) *restore.RewindOutcome {
	w.T.Helper()
	e := w.Engine()
	p, err := step.FindPoint(w.Ctx, e, pid)
	if err != nil {
		w.T.Fatal(err)
	}
	plan, err := rewind.PlanRewind(w.Ctx, e, p, condense.Scope{Kind: condense.ScopeTree})
	if err != nil {
		w.T.Fatal(err)
	}
	out, err := rewind.Rewind(w.Ctx, e, plan)
	if err != nil {
		w.T.Fatal(err)
	}
	return out
}

// Metadata reads a file of a stored checkpoint.
func (w *World) Metadata(cp, file string) string {
	w.T.Helper()
	if len(cp) < 2 {
		w.T.Fatal("the commit is not linked")
	}
	return w.Git("show", "entire/checkpoints/v1:"+cp[:2]+"/"+cp[2:]+"/"+file)
}
