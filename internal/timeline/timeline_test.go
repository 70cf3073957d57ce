package timeline_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"entire/agent"
	"entire/id"
	"entire/internal/git"
	"entire/internal/testrepo"
	"entire/internal/timeline"
	"entire/session"
	"entire/strategy/condense"
	"entire/strategy/engine"
	"entire/strategy/rewind"
	"entire/strategy/sessionstate"
	"entire/strategy/step"
)

// A past is a repository with an agent and a person at work.
type past struct {
	*testrepo.Repo
	t   *testing.T
	ctx context.Context
	now time.Time
	log string // the folder of the transcripts
}

func newPast(t *testing.T) *past {
	return &past{Repo: testrepo.New(t, testrepo.Files(map[string]string{"a.txt": "one\n"})), t: t, ctx: t.Context(), now: time.Now().Truncate(time.Second), log: t.TempDir()}
}

func (p *past) env() *sessionstate.Env {
	p.t.Helper()
	repo, err := git.Discover(p.ctx, p.Dir, p.Env)
	p.ok(err)
	p.t.Cleanup(func() { repo.Close() })
	return sessionstate.New(sessionstate.Options{Repo: repo, Store: session.NewStateStore(repo.CommonDir), Now: func() time.Time { return p.now },
		Log: slog.New(slog.NewTextHandler(io.Discard, nil)), Version: "test", Home: p.Home, KeepTurns: 30 * 24 * time.Hour, TurnsLimit: 1 << 30,
		HumanPresent: func() bool { return true }})
}

func (p *past) ok(err error) {
	p.t.Helper()
	if err != nil {
		p.t.Fatal(err)
	}
}

func (p *past) event(kind agent.EventType, sid, prompt string) {
	p.t.Helper()
	p.now = p.now.Add(time.Second)
	name, err := id.ParseSessionID(sid)
	p.ok(err)
	_, err = engine.Handle(p.ctx, p.env(), agent.Event{Type: kind, Agent: agent.AgentNameClaudeCode, AgentType: agent.AgentTypeClaudeCode, SessionID: name,
		TranscriptPath: filepath.Join(p.log, sid+".jsonl"), Dir: p.Dir, Time: p.now, Prompt: prompt})
	p.ok(err)
}

func (p *past) say(sid, line string) {
	p.t.Helper()
	f, err := os.OpenFile(filepath.Join(p.log, sid+".jsonl"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	p.ok(err)
	_, err = fmt.Fprintln(f, line)
	p.ok(err)
	p.ok(f.Close())
}

// turn is a turn of a session that writes one file.
func (p *past) turn(sid, prompt, path, content string) {
	p.t.Helper()
	n := p.now.Unix()
	p.say(sid, fmt.Sprintf(`{"type":"user","uuid":"u%d","sessionId":%q,"message":{"role":"user","content":%q}}`, n, sid, prompt))
	p.event(agent.TurnStart, sid, prompt)
	p.Write(path, content)
	p.say(sid, fmt.Sprintf(`{"type":"assistant","uuid":"c%d","sessionId":%q,"message":{"id":"mc%d","role":"assistant","model":"m-1","content":[{"type":"tool_use","id":"t%d","name":"Write","input":{"file_path":%q,"content":%q}}],"usage":{"input_tokens":10,"output_tokens":5}}}`, n, sid, n, n, p.Path(path), content))
	p.say(sid, fmt.Sprintf(`{"type":"assistant","uuid":"a%d","sessionId":%q,"message":{"id":"ma%d","role":"assistant","model":"m-1","content":[{"type":"text","text":"I wrote %s."}],"usage":{"input_tokens":20,"output_tokens":7}}}`, n, sid, n, path))
	p.event(agent.TurnEnd, sid, "")
}

func (p *past) commit(message string) {
	p.t.Helper()
	p.now = p.now.Add(time.Second)
	p.Git("add", "-A")
	file := p.GitPath("COMMIT_EDITMSG")
	p.ok(os.WriteFile(file, []byte(message+"\n"), 0o600))
	p.ok(engine.PrepareCommitMsg(p.ctx, p.env(), file, "message"))
	p.Setenv("GIT_COMMITTER_DATE", fmt.Sprint(p.now.Unix(), " +0000"))
	p.Git("commit", "-q", "--no-verify", "-F", file)
	p.now = p.now.Add(time.Second)
	p.ok(engine.PostCommit(p.ctx, p.env()))
}

func (p *past) rewind(to string) {
	p.t.Helper()
	p.now = p.now.Add(time.Second)
	e := p.env()
	point, err := step.FindPoint(p.ctx, e, to)
	p.ok(err)
	plan, err := rewind.PlanRewind(p.ctx, e, point, condense.Scope{Kind: condense.ScopeTree})
	p.ok(err)
	_, err = rewind.Rewind(p.ctx, e, plan)
	p.ok(err)
}

func kindsOf(points []timeline.Point) string {
	var out []string
	for _, p := range points {
		out = append(out, string(p.Kind))
	}
	return strings.Join(out, " ")
}

// aDay makes two sessions' turns, a commit between them and a rewind.
func aDay(t *testing.T) *past {
	p := newPast(t)
	p.turn("s1", "Write b", "b.txt", "b\n")
	p.turn("s1", "Write b again", "b.txt", "b\nb\n")
	p.commit("Add b")
	p.turn("s2", "Write c", "c.txt", "c\n")
	p.turn("s1", "Write d", "d.txt", "d\n")
	return p
}

func TestWindow(t *testing.T) {
	t.Parallel()
	p := aDay(t)
	tl := timeline.New(p.env())
	defer tl.Close()
	w, err := tl.Window(p.ctx, 0, 100)
	p.ok(err)
	if got, want := kindsOf(w.Points), "turn turn commit turn turn commit"; got != want {
		t.Fatalf("kinds %s, want %s", got, want)
	}
	if w.More || w.Known != 6 {
		t.Errorf("more %v, known %d", w.More, w.Known)
	}
	d, c, link := w.Points[0], w.Points[1], w.Points[2]
	if d.Session != "s1" || d.Prompt != "Write d" || d.Files != 1 || d.Insertions != 1 || d.Turn != 3 || d.TakenBy != "" {
		t.Errorf("newest turn: %+v", d)
	}
	if c.Session != "s2" || c.Lane == d.Lane || c.Agent != agent.AgentTypeClaudeCode {
		t.Errorf("turn of the other session: %+v", c)
	}
	if len(link.Checkpoints) != 1 || link.Session != "s1" || link.Tokens == nil || link.Tokens.OutputTokens != 24 || link.Files != 1 {
		t.Errorf("commit: %+v", link)
	}
	if b := w.Points[3]; b.TakenBy != link.ID || b.TakenIn != link.Checkpoints[0] || b.Lane != d.Lane {
		t.Errorf("a turn that the commit took: %+v", b)
	}
	for from := range w.Points {
		part, err := tl.Window(p.ctx, from, 2)
		p.ok(err)
		for i, q := range part.Points {
			if q.ID != w.Points[from+i].ID || q.Lane != w.Points[from+i].Lane || q.Prompt != w.Points[from+i].Prompt || q.Index != from+i {
				t.Errorf("window from %d: point %d is %+v", from, i, q)
			}
		}
	}
	if past, err := tl.Window(p.ctx, 50, 5); err != nil || len(past.Points) != 0 {
		t.Errorf("a window after the end: %v, %v", past.Points, err)
	}
}

// TestCancelled insists that a call that is no longer wanted leaves nothing out of the next one.
func TestCancelled(t *testing.T) {
	t.Parallel()
	p := aDay(t)
	tl := timeline.New(p.env())
	defer tl.Close()
	for _, n := range []int{1, 3} {
		ctx, cancel := context.WithCancel(p.ctx)
		_, err := tl.Window(ctx, 0, n)
		p.ok(err)
		cancel()
	}
	ctx, cancel := context.WithCancel(p.ctx)
	cancel()
	if _, err := tl.Window(ctx, 0, 100); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled call: %v", err)
	}
	w, err := tl.Window(p.ctx, 0, 100)
	p.ok(err)
	if got, want := kindsOf(w.Points), "turn turn commit turn turn commit"; got != want {
		t.Errorf("after cancelled calls: %s, want %s", got, want)
	}
}

func TestDetails(t *testing.T) {
	t.Parallel()
	p := aDay(t)
	tl := timeline.New(p.env())
	defer tl.Close()
	w, err := tl.Window(p.ctx, 0, 100)
	p.ok(err)
	if d, err := timeline.New(p.env()).Details(p.ctx, "HEAD"); err != nil || d.Kind != timeline.Commit { // before anything else
		t.Errorf("HEAD is %+v, %v", d, err)
	}
	d, err := tl.Details(p.ctx, w.Points[3].ID[:9])
	p.ok(err)
	if !slices.Equal(d.Prompts, []string{"Write b again"}) || d.Answer != "I wrote b.txt." || d.Model != "m-1" {
		t.Errorf("said: %q, answer %q, model %q", d.Prompts, d.Answer, d.Model)
	}
	if d.Tokens == nil || d.Tokens.OutputTokens != 12 || d.Tokens.InputTokens != 30 {
		t.Errorf("the turn's tokens: %+v", d.Tokens)
	}
	if len(d.Changes) != 1 || d.Changes[0] != (timeline.Change{Path: "b.txt", Action: "write", Insertions: 1}) {
		t.Errorf("changes: %+v", d.Changes)
	}
	patch, err := tl.Patch(p.ctx, d.Before, d.Tree)
	p.ok(err)
	if !strings.Contains(string(patch.Text), "\n+b\n") || len(patch.Left) > 0 {
		t.Errorf("patch %s, left %v", patch.Text, patch.Left)
	}
	commit, err := tl.Details(p.ctx, w.Points[2].Checkpoints[0])
	p.ok(err)
	if commit.Kind != timeline.Commit || !slices.Equal(commit.Prompts, []string{"Write b", "Write b again"}) {
		t.Errorf("commit by its checkpoint: %s, prompts %q", commit.Kind, commit.Prompts)
	}
	if _, err := tl.Details(p.ctx, "0123456789"); err == nil {
		t.Error("details of a point that is not there")
	}
}

// TestPromptsOfACommit shows of a commit what was asked since the one before, although its checkpoint has all that the
// session has said.
func TestPromptsOfACommit(t *testing.T) {
	t.Parallel()
	p := aDay(t)
	shows := func(want ...string) {
		t.Helper()
		tl := timeline.New(p.env())
		defer tl.Close()
		d, err := tl.Details(p.ctx, "HEAD")
		p.ok(err)
		if got := slices.Sorted(slices.Values(d.Prompts)); !slices.Equal(got, want) {
			t.Errorf("the commit's prompts are %q, want %q", got, want)
		}
	}
	p.commit("Add c and d")
	shows("Write c", "Write d")
	p.turn("s1", "Write e", "e.txt", "e\n")
	p.turn("s1", "Write f", "f.txt", "f\n")
	p.commit("Add e and f")
	shows("Write e", "Write f")
	// The next commit is made in the middle of a turn, and so is one after it.
	p.event(agent.TurnStart, "s1", "Write g and h")
	p.say("s1", `{"type":"user","uuid":"gh","sessionId":"s1","message":{"role":"user","content":"Write g and h"}}`)
	for _, name := range []string{"g.txt", "h.txt"} {
		p.say("s1", fmt.Sprintf(`{"type":"assistant","uuid":"u-%s","sessionId":"s1","message":{"id":"m-%s","role":"assistant","model":"m-1","content":[{"type":"tool_use","id":"t-%s","name":"Write","input":{"file_path":%q,"content":"g\n"}}]}}`, name, name, name, p.Path(name)))
		p.Write(name, "g\n")
		p.commit("Add " + name)
		shows("Write g and h")
	}
}

func TestPointOf(t *testing.T) {
	t.Parallel()
	p := aDay(t)
	tl := timeline.New(p.env())
	defer tl.Close()
	w, err := tl.Window(p.ctx, 0, 100) // d of s1, c of s2, the commit, b again and b of s1, the first commit
	p.ok(err)
	for _, test := range []struct {
		session string
		at      time.Time
		want    string
	}{
		{"s1", time.Time{}, w.Points[0].ID},
		{"s1", w.Points[0].When, w.Points[0].ID},
		{"s1", w.Points[3].When, w.Points[3].ID},
		{"s1", w.Points[4].When.Add(-time.Hour), w.Points[4].ID},
		{"s2", w.Points[4].When, w.Points[1].ID},
		{"s3", time.Time{}, ""},
	} {
		if got, err := tl.PointOf(p.ctx, test.session, test.at); err != nil || got != test.want {
			t.Errorf("the point of %s at %s is %s, %v, want %s", test.session, test.at, got, err, test.want)
		}
	}
}

func TestPresentAndRewind(t *testing.T) {
	t.Parallel()
	p := aDay(t)
	tl := timeline.New(p.env())
	defer tl.Close()
	w, err := tl.Window(p.ctx, 0, 100)
	p.ok(err)
	if at, err := tl.Present(p.ctx); err != nil || at != w.Points[0].ID {
		t.Fatalf("present %s, %v; want %s", at, err, w.Points[0].ID)
	}
	if changed, err := tl.Refresh(p.ctx); changed || err != nil {
		t.Fatalf("refresh of an unchanged past: %v, %v", changed, err)
	}
	back := w.Points[1]
	p.rewind(back.ID)
	if changed, err := tl.Refresh(p.ctx); !changed || err != nil {
		t.Fatalf("refresh after a rewind: %v, %v", changed, err)
	}
	w, err = tl.Window(p.ctx, 0, 100)
	p.ok(err)
	r := w.Points[0]
	if r.Kind != timeline.Rewind || r.Rewind == nil || r.Rewind.Point != back.ID || r.Files != 1 || r.Deletions != 1 {
		t.Errorf("rewind: %+v %+v", r, r.Rewind)
	}
	if at, err := tl.Present(p.ctx); err != nil || at != r.ID {
		t.Errorf("present after the rewind %s, %v; want %s", at, err, r.ID)
	}
	p.Write("new.txt", "x\n")
	if at, err := tl.Present(p.ctx); err != nil || at != "" {
		t.Errorf("present of unknown files %s, %v", at, err)
	}
}

func TestFileStates(t *testing.T) {
	t.Parallel()
	p := aDay(t)
	p.rewind(func() string {
		w, err := timeline.New(p.env()).Window(p.ctx, 0, 10)
		p.ok(err)
		return w.Points[1].ID
	}())
	p.turn("s1", "Write b anew", "b.txt", "other\n")
	tl := timeline.New(p.env())
	defer tl.Close()
	states, more, err := tl.FileStates(p.ctx, "b.txt", 100, 100)
	p.ok(err)
	var got []string
	for _, s := range states {
		data, err := tl.Blob(p.ctx, s.Blob, 1<<20)
		p.ok(err)
		got = append(got, string(data))
	}
	if want := []string{"other\n", "b\nb\n", "b\n"}; !slices.Equal(got, want) || more {
		t.Errorf("states %q, want %q; more %v", got, want, more)
	}
	var made []string
	for _, s := range states {
		made = append(made, s.Made.Prompt)
	}
	if want := []string{"Write b anew", "Write b again", "Write b"}; !slices.Equal(made, want) {
		t.Errorf("made by %q, want %q", made, want)
	}
	if _, _, err := tl.FileStates(p.ctx, "../x", 10, 10); err == nil {
		t.Error("a path that leads out of the worktree is taken")
	}
}

// TestWatch insists that a turn of another process is told of.
func TestWatch(t *testing.T) {
	t.Parallel()
	p := newPast(t)
	e := p.env()
	told, err := timeline.Watch(p.ctx, e.Repo)
	p.ok(err)
	tl := timeline.New(e)
	defer tl.Close()
	_, err = tl.Window(p.ctx, 0, 10)
	p.ok(err)
	for i, do := range []func(){
		func() { p.turn("s1", "Write b", "b.txt", "b\n") },
		func() { p.turn("s1", "Write b again", "b.txt", "b\nb\n") },
		func() { p.commit("Add b") },
		func() { p.turn("s1", "Write c", "c.txt", "c\n") },
	} {
		do()
		for changed := false; !changed; {
			select {
			case <-told:
				changed, err = tl.Refresh(p.ctx)
				p.ok(err)
			case <-time.After(time.Minute):
				t.Fatalf("change %d was not told", i)
			}
		}
	}
}

// TestWatchReftables tells of a change in a repository that keeps its refs in tables, as newer versions of git
// write them: in a folder of their own, with a list that is replaced at each change.
func TestWatchReftables(t *testing.T) {
	t.Parallel()
	p := newPast(t)
	e := p.env()
	tables := filepath.Join(e.Repo.CommonDir, "reftable")
	p.ok(os.Mkdir(tables, 0o755))
	told, err := timeline.Watch(p.ctx, e.Repo)
	p.ok(err)
	lock := filepath.Join(tables, "tables.list.lock")
	p.ok(os.WriteFile(lock, []byte("0x000000000001-0x000000000002.ref\n"), 0o644))
	p.ok(os.Rename(lock, filepath.Join(tables, "tables.list")))
	select {
	case <-told:
	case <-time.After(time.Minute):
		t.Error("the change was not told")
	}
}
