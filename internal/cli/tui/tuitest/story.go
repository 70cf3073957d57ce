package tuitest

import (
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"entire/agent"
	"entire/id"
	"entire/internal/cli/cliui"
	"entire/internal/cli/workplace"
	"entire/internal/git"
	"entire/internal/project"
	"entire/internal/testrepo"
	"entire/session"
	"entire/strategy/condense"
	"entire/strategy/engine"
	"entire/strategy/rewind"
	"entire/strategy/sessionstate"
	"entire/strategy/step"
	"entire/strategy/turn"
)

// Start is when a story begins.
var Start = time.Date(2026, 3, 3, 9, 0, 0, 0, time.UTC)

// A Story is a repository in which things happen, each a minute after the one before.
type Story struct {
	*testrepo.Repo
	t    testing.TB
	at   atomic.Int64 // the time, in nanoseconds: a program that is open asks for it, too
	logs string       // the folder of the transcripts
	line int          // of all transcripts
}

// New returns a repository with some files, in which Entire is set up.
func New(t testing.TB, files map[string]string) *Story {
	t.Helper()
	s := &Story{Repo: testrepo.New(t, testrepo.Unborn(), testrepo.Named("shop")), t: t, logs: t.TempDir()}
	s.at.Store(Start.UnixNano())
	s.Write(".entire/settings.json", "{\"enabled\": true}\n")
	for path, text := range files {
		s.Write(path, text)
	}
	s.dated()
	s.Repo.Commit("Begin the shop")
	return s
}

// dated makes the time of git that of the story.
func (s *Story) dated() {
	date := fmt.Sprint(s.now().Unix(), " +0000")
	s.Setenv("GIT_COMMITTER_DATE", date)
	s.Setenv("GIT_AUTHOR_DATE", date)
}

// World returns what commands in the repository know of their surroundings.
func (s *Story) World() *cliui.Env {
	return &cliui.Env{In: os.Stdin, Out: io.Discard, Err: io.Discard, Environ: append(s.Env, "ENTIRE_TEST_TTY=0"),
		Getwd: func() (string, error) { return s.Dir, nil }, Now: s.now}
}

// Later lets time pass.
func (s *Story) Later(d time.Duration) { s.at.Add(int64(d)) }

func (s *Story) now() time.Time { return time.Unix(0, s.at.Load()).UTC() }

func (s *Story) tick() { s.Later(time.Minute) }

func (s *Story) engine() *sessionstate.Env {
	s.t.Helper()
	repo, err := git.Discover(s.t.Context(), s.Dir, s.Env)
	s.ok(err)
	s.t.Cleanup(func() { repo.Close() })
	return sessionstate.New(sessionstate.Options{Repo: repo, Store: session.NewStateStore(repo.CommonDir), Now: s.now,
		Log: slog.New(slog.DiscardHandler), Version: "test", Home: s.Home, KeepTurns: 30 * 24 * time.Hour, TurnsLimit: 1 << 30,
		HumanPresent: func() bool { return true }})
}

func (s *Story) ok(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
}

func (s *Story) event(kind agent.EventType, sid, prompt string) {
	s.t.Helper()
	name, err := id.ParseSessionID(sid)
	s.ok(err)
	ev := agent.Event{Type: kind, Agent: agent.AgentNameClaudeCode, AgentType: agent.AgentTypeClaudeCode,
		SessionID: name, TranscriptPath: s.transcript(sid), Dir: s.Dir, Time: s.now(), Prompt: prompt}
	e := s.engine()
	_, err = engine.Handle(s.t.Context(), e, ev)
	s.ok(err)
	workplace.NewStoreFeed(s.World(), e.Log).FeedEvent(s.t.Context(), project.InRepo(s.t.Context(), e.Repo), ev)
}

func (s *Story) transcript(sid string) string { return filepath.Join(s.logs, sid+".jsonl") }

// say appends a line to a session's transcript.
func (s *Story) say(sid, kind string, message map[string]any) {
	s.t.Helper()
	s.line++
	message["id"] = fmt.Sprintf("m%d", s.line)
	data, err := json.Marshal(map[string]any{"type": kind, "uuid": fmt.Sprintf("u%d", s.line), "sessionId": sid,
		"timestamp": s.now().Format(time.RFC3339), "message": message})
	s.ok(err)
	f, err := os.OpenFile(s.transcript(sid), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	s.ok(err)
	_, err = f.Write(append(data, '\n'))
	s.ok(err)
	s.ok(f.Close())
}

func (s *Story) says(sid string, content map[string]any) {
	s.say(sid, "assistant", map[string]any{"role": "assistant", "model": "model-1", "content": []any{content},
		"usage": map[string]any{"input_tokens": 1200, "output_tokens": 340}})
}

// An Edit is what a turn writes to a file; "" removes it.
type Edit struct{ Path, Text string }

// Begin begins a turn of a session.
func (s *Story) Begin(sid, prompt string) {
	s.t.Helper()
	s.tick()
	s.say(sid, "user", map[string]any{"role": "user", "content": prompt})
	s.event(agent.TurnStart, sid, prompt)
}

// Edit writes a file by a call of a tool.
func (s *Story) Edit(sid, path, text string) {
	s.t.Helper()
	s.says(sid, map[string]any{"type": "tool_use", "id": fmt.Sprintf("t%d", s.line), "name": "Write", "input": map[string]any{"file_path": s.Path(path), "content": text}})
	s.Write(path, text)
}

// End ends a turn with an answer.
func (s *Story) End(sid, answer string) {
	s.t.Helper()
	s.says(sid, map[string]any{"type": "text", "text": answer})
	s.event(agent.TurnEnd, sid, "")
}

// Turn is a whole turn.
func (s *Story) Turn(sid, prompt, answer string, edits ...Edit) {
	s.t.Helper()
	s.Begin(sid, prompt)
	for _, e := range edits {
		s.Edit(sid, e.Path, e.Text)
	}
	s.End(sid, answer)
}

// Commit commits everything, through the hooks' engine.
func (s *Story) Commit(message string) {
	s.t.Helper()
	s.tick()
	s.Git("add", "-A")
	file := s.GitPath("COMMIT_EDITMSG")
	s.ok(os.WriteFile(file, []byte(message+"\n"), 0o600))
	s.ok(engine.PrepareCommitMsg(s.t.Context(), s.engine(), file, "message"))
	s.dated()
	s.Git("commit", "-q", "--no-verify", "-F", file)
	s.ok(engine.PostCommit(s.t.Context(), s.engine()))
}

// Label saves the files under a label.
func (s *Story) Label(label string) {
	s.t.Helper()
	s.tick()
	_, err := turn.SaveLabel(s.t.Context(), s.engine(), label)
	s.ok(err)
}

// Rewind goes back by n points of the list that `entire rewind --list` shows.
func (s *Story) Rewind(n int) {
	s.t.Helper()
	s.tick()
	e := s.engine()
	points, err := step.Points(s.t.Context(), e, 0)
	s.ok(err)
	plan, err := rewind.PlanRewind(s.t.Context(), e, points[n], condense.Scope{Kind: condense.ScopeTree})
	s.ok(err)
	_, err = rewind.Rewind(s.t.Context(), e, plan)
	s.ok(err)
}
