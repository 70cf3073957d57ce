//go:build linux || darwin

// Command story makes a repository with a few hours of work in it, for the pictures of the documents: two
// agents' sessions and a person, commits, a mistake and a rewind. It plays the agents as they call hooks
// and write transcripts; everything else is the real git and the real `entire`, which must be on PATH.
//
//	story DIR
//
// DIR must not exist. HOME is DIR/home while the story is made, and should be when it is looked at.
package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// clockVar is the variable that tells the time to an `entire` that was linked for it; any other takes
// the real one.
const clockVar = "STORY_NOW"

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: story DIR")
		os.Exit(2)
	}
	s := &story{dir: os.Args[1], now: time.Now().Add(-5 * time.Hour).Truncate(time.Minute)}
	s.tell()
	if s.err != nil {
		fmt.Fprintf(os.Stderr, "story: %v\n", s.err)
		os.Exit(1)
	}
}

// A story is the repository while it is made. After the first error nothing more is done.
type story struct {
	dir, repo string
	now       time.Time
	calls     int
	err       error
}

func (s *story) keep(err error) {
	if s.err == nil {
		s.err = err
	}
}

func (s *story) pass(d time.Duration) { s.now = s.now.Add(d) }

// run runs a program in the repository.
func (s *story) run(stdin string, name string, args ...string) string {
	if s.err != nil {
		return ""
	}
	cmd := exec.Command(name, args...)
	at := s.now.Format(time.RFC3339)
	cmd.Dir, cmd.Stdin = s.repo, strings.NewReader(stdin)
	cmd.Env = append(os.Environ(), "HOME="+filepath.Join(s.dir, "home"), "XDG_DATA_HOME=", "XDG_CACHE_HOME=", "GIT_CONFIG_NOSYSTEM=1",
		"GIT_AUTHOR_DATE="+at, "GIT_COMMITTER_DATE="+at, "ENTIRE_TEST_TTY=0", clockVar+"="+at)
	out, err := cmd.CombinedOutput()
	if err != nil {
		s.keep(fmt.Errorf("%s %s: %w\n%s", name, strings.Join(args, " "), err, out))
	}
	return string(out)
}

func (s *story) git(args ...string) { s.run("", "git", args...) }

func (s *story) write(path, text string) {
	full := filepath.Join(s.repo, path)
	s.keep(os.MkdirAll(filepath.Dir(full), 0o755))
	s.keep(os.WriteFile(full, []byte(text), 0o644))
}

func (s *story) read(path string) string {
	data, err := os.ReadFile(filepath.Join(s.repo, path))
	s.keep(err)
	return string(data)
}

// A session is a conversation with an agent of the story.
type session struct {
	*story
	id, log string
	seq     int
	model   string
}

func (s *story) session(id, model string) *session {
	dir := filepath.Join(s.dir, "home", ".claude", "projects", "story")
	s.keep(os.MkdirAll(dir, 0o755))
	return &session{story: s, id: id, log: filepath.Join(dir, id+".jsonl"), model: model}
}

func (c *session) hook(verb string, more map[string]any) {
	payload := map[string]any{"session_id": c.id, "transcript_path": c.log, "cwd": c.repo, "hook_event_name": verb}
	maps.Copy(payload, more)
	data, err := json.Marshal(payload)
	c.keep(err)
	c.run(string(data), "entire", "hooks", "claude-code", verb)
}

// line adds a line to the transcript.
func (c *session) line(kind string, message map[string]any) {
	c.seq++
	data, err := json.Marshal(map[string]any{"type": kind, "uuid": fmt.Sprintf("%s-%04d", c.id[:8], c.seq), "sessionId": c.id, "cwd": c.repo,
		"timestamp": c.now.UTC().Format(time.RFC3339), "message": message})
	c.keep(err)
	f, err := os.OpenFile(c.log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	c.keep(err)
	if err == nil {
		_, err = f.Write(append(data, '\n'))
		c.keep(err)
		c.keep(f.Close())
	}
}

func (c *session) answer(part map[string]any, in, out int) {
	c.pass(20 * time.Second)
	c.line("assistant", map[string]any{"role": "assistant", "model": c.model, "id": fmt.Sprintf("msg_%s_%d", c.id[:4], c.seq),
		"content": []any{part}, "usage": map[string]any{"input_tokens": in, "output_tokens": out, "cache_read_input_tokens": 40 * in}})
}

func (c *session) think(text string) {
	c.answer(map[string]any{"type": "thinking", "thinking": text}, 180, 60)
}
func (c *session) say(text string) { c.answer(map[string]any{"type": "text", "text": text}, 140, 90) }

func (c *session) call(tool string, input map[string]any, result string) {
	c.calls++
	use := fmt.Sprintf("toolu_%04d", c.calls)
	c.answer(map[string]any{"type": "tool_use", "id": use, "name": tool, "input": input}, 220, 150)
	c.line("user", map[string]any{"role": "user", "content": []any{map[string]any{"type": "tool_result", "tool_use_id": use, "content": result}}})
}

// edit replaces a part of a file, as the agent's tool does.
func (c *session) edit(path, from, to string) {
	text := c.read(path)
	if !strings.Contains(text, from) && c.err == nil {
		c.keep(fmt.Errorf("%s does not have %q", path, from))
	}
	c.write(path, strings.Replace(text, from, to, 1))
	c.call("Edit", map[string]any{"file_path": filepath.Join(c.repo, path), "old_string": from, "new_string": to}, "The file has been updated.")
}

func (c *session) create(path, text string) {
	c.write(path, text)
	c.call("Write", map[string]any{"file_path": filepath.Join(c.repo, path), "content": text}, "File created.")
}

func (c *session) shell(command, result string) {
	c.call("Bash", map[string]any{"command": command}, result)
}

// turn is a turn of the session: what a person asks for, and what the agent does.
func (c *session) turn(prompt string, does func()) {
	c.pass(4 * time.Minute)
	c.line("user", map[string]any{"role": "user", "content": prompt})
	c.hook("user-prompt-submit", map[string]any{"prompt": prompt})
	does()
	c.pass(30 * time.Second)
	c.hook("stop", nil)
}

func (s *story) commit(message string) {
	s.pass(3 * time.Minute)
	s.git("add", "-A")
	s.git("commit", "-q", "-m", message)
}
