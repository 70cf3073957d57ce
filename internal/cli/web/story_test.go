package web_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"entire/internal/cli/clitest"
	"entire/internal/cli/cliui"
	"entire/internal/cli/hookcmd"
	"entire/internal/cli/workplace"
	"entire/internal/testrepo"
	"entire/internal/timeline"
)

// TestMain lets a hook start this program for work that it leaves for later; it then does nothing.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && !strings.HasPrefix(os.Args[1], "-") {
		os.Exit(0)
	}
	code := m.Run()
	stopChromium()
	os.Exit(code)
}

// A story is a repository with agents and a person at work, at times of its own.
type story struct {
	*testrepo.Repo
	t    testing.TB
	now  time.Time
	said int // lines of all transcripts
}

// dawn is when every story begins.
var dawn = time.Date(2026, 3, 4, 9, 0, 0, 0, time.UTC)

func newStory(t testing.TB, files map[string]string) *story {
	s := &story{t: t, now: dawn}
	files[".entire/settings.json"] = `{"enabled": true, "strategy": "manual-commit"}` + "\n"
	s.Repo = testrepo.New(t, testrepo.Files(files), testrepo.Named("ledger"))
	s.Setenv("ENTIRE_TEST_TTY", "0")
	s.Setenv("GIT_AUTHOR_DATE", s.stamp())
	s.Setenv("GIT_COMMITTER_DATE", s.stamp())
	s.Git("commit", "-q", "--amend", "--no-edit", "--reset-author", "--date", s.stamp())
	return s
}

func (s *story) stamp() string { return s.now.Format(time.RFC3339) }

// env is the world at this moment of the story.
func (s *story) env() *cliui.Env {
	env, _, _ := clitest.NewWorld(s.Dir, s.Env...)
	env.Now = func() time.Time { return s.now }
	return env
}

func (s *story) later(d time.Duration) {
	s.now = s.now.Add(d)
	s.Setenv("GIT_AUTHOR_DATE", s.stamp())
	s.Setenv("GIT_COMMITTER_DATE", s.stamp())
}

func (s *story) ok(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
}

func (s *story) transcript(sid string) string {
	return filepath.Join(s.Home, ".claude", "projects", strings.NewReplacer("/", "-", ".", "-").Replace(s.Dir), sid+".jsonl")
}

// hook calls a hook as an agent or git does.
func (s *story) hook(fields map[string]any, args ...string) {
	s.t.Helper()
	payload, err := json.Marshal(fields)
	s.ok(err)
	env := s.env()
	env.In = bytes.NewReader(payload)
	if !hookcmd.Run(s.t.Context(), env, append([]string{"hooks"}, args...)) {
		s.t.Fatalf("no hook %q", args)
	}
}

func (s *story) agent(sid, verb string, more map[string]any) {
	s.t.Helper()
	fields := map[string]any{"session_id": sid, "transcript_path": s.transcript(sid), "cwd": s.Dir, "hook_event_name": verb}
	maps.Copy(fields, more)
	s.hook(fields, "claude-code", verb)
}

// say adds a line to a session's transcript.
func (s *story) say(sid, kind string, message map[string]any, more map[string]any) {
	s.t.Helper()
	s.said++
	line := map[string]any{"type": kind, "uuid": fmt.Sprintf("00000000-0000-4000-8000-%012d", s.said), "sessionId": sid, "cwd": s.Dir,
		"timestamp": s.now.UTC().Format("2006-01-02T15:04:05.000Z"), "version": "2.1.0", "message": message}
	maps.Copy(line, more)
	data, err := json.Marshal(line)
	s.ok(err)
	s.ok(os.MkdirAll(filepath.Dir(s.transcript(sid)), 0o755))
	f, err := os.OpenFile(s.transcript(sid), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	s.ok(err)
	_, err = f.Write(append(data, '\n'))
	s.ok(err)
	s.ok(f.Close())
}

// prompt begins a turn.
func (s *story) prompt(sid, text string) {
	s.t.Helper()
	s.later(time.Minute)
	s.agent(sid, "user-prompt-submit", map[string]any{"prompt": text})
	s.say(sid, "user", map[string]any{"role": "user", "content": text}, nil)
}

func (s *story) answer(sid string, block map[string]any) {
	s.t.Helper()
	s.say(sid, "assistant", map[string]any{"id": fmt.Sprintf("msg_%d", s.said), "role": "assistant", "model": "opus-4", "content": []any{block},
		"usage": map[string]int{"input_tokens": 1200, "output_tokens": 80, "cache_read_input_tokens": 9000}}, nil)
}

func (s *story) thinks(sid, text string) {
	s.answer(sid, map[string]any{"type": "thinking", "thinking": text})
}

func (s *story) says(sid, text string) {
	s.answer(sid, map[string]any{"type": "text", "text": text})
}

// tool records a call with its result.
func (s *story) tool(sid, name string, input map[string]any, result any, failed bool) {
	s.t.Helper()
	s.later(3 * time.Second)
	use := fmt.Sprintf("toolu_%d", s.said)
	s.answer(sid, map[string]any{"type": "tool_use", "id": use, "name": name, "input": input})
	s.say(sid, "user", map[string]any{"role": "user", "content": []any{map[string]any{"type": "tool_result", "tool_use_id": use, "content": result, "is_error": failed}}}, nil)
}

// writes lets an agent write a whole file.
func (s *story) writes(sid, path, content string) {
	s.t.Helper()
	s.Write(path, content)
	s.tool(sid, "Write", map[string]any{"file_path": s.Path(path), "content": content}, "File created successfully", false)
}

// edits lets an agent replace a text in a file.
func (s *story) edits(sid, path, old, text string) {
	s.t.Helper()
	before := s.Read(path)
	if strings.Count(before, old) != 1 {
		s.t.Fatalf("%s has %q %d times", path, old, strings.Count(before, old))
	}
	s.Write(path, strings.Replace(before, old, text, 1))
	s.tool(sid, "Edit", map[string]any{"file_path": s.Path(path), "old_string": old, "new_string": text}, "The file has been updated", false)
}

// stops ends a turn.
func (s *story) stops(sid, text string) {
	s.t.Helper()
	s.later(4 * time.Second)
	s.says(sid, text)
	s.agent(sid, "stop", map[string]any{"stop_hook_active": false})
}

// commit commits everything as a person does, with git's hooks.
func (s *story) commit(message string) string {
	s.t.Helper()
	s.later(2 * time.Minute)
	s.Git("add", "-A")
	file := s.GitPath("COMMIT_EDITMSG")
	s.ok(os.WriteFile(file, []byte(message+"\n"), 0o600))
	s.hook(nil, "git", "prepare-commit-msg", file, "message")
	s.Git("commit", "-q", "--no-verify", "-F", file)
	s.hook(nil, "git", "post-commit")
	return s.Head()
}

// points returns the IDs of the story's points of a kind, the newest first.
func (s *story) points(kind timeline.Kind) []string {
	s.t.Helper()
	wp, _, err := workplace.OpenAt(s.t.Context(), s.env(), s.Dir)
	s.ok(err)
	defer wp.Close()
	tl := timeline.New(wp.Engine)
	defer tl.Close()
	w, err := tl.Window(s.t.Context(), 0, 1000)
	s.ok(err)
	var out []string
	for _, p := range w.Points {
		if p.Kind == kind {
			out = append(out, p.ID)
		}
	}
	return out
}
