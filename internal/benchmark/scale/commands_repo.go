//go:build unix

package main

import (
	"crypto/sha1"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"entire/internal/attribution"
)

const (
	perSession    = 10  // checkpoints of a session
	localSessions = 300 // sessions of the worktree, with states
)

// workRepo makes an enabled repository with n linked commits, the checkpoints of n/perSession sessions behind them, and
// localSessions sessions that ran here.
func (l *lab) workRepo(dir string, n int) error {
	if _, err := l.do(l.root, "git", "init", "-q", dir); err != nil {
		return err
	}
	if err := l.fastImport(dir, func(s stream) { l.history(s, n) }); err != nil {
		return err
	}
	for _, args := range [][]string{{"git", "gc", "-q"}, {"git", "reset", "-q", "--hard"}, {l.bin, "enable", "--agent", "claude-code"}} {
		if _, err := l.do(dir, args...); err != nil {
			return err
		}
	}
	for i := range localSessions {
		if err := l.localSession(dir, i); err != nil {
			return err
		}
	}
	return nil
}

// history writes n checkpoints and the commits that name them, a few minutes apart, the last of them an hour old.
func (l *lab) history(s stream, n int) {
	m := newMaker()
	begin := time.Now().Add(-time.Hour - time.Duration(n)*20*time.Minute)
	s.commit("refs/heads/main", "Dev 0 <dev0@example.com>", begin, "Begin\n")
	s.commit(branchRef, "Dev 0 <dev0@example.com>", begin, "Initialize metadata branch\n")
	var one simulated
	texts := map[string]string{}
	for i := range n {
		if i%perSession == 0 {
			one = simulated{id: fmt.Sprintf("%08x-%04x-4000-8000-%012x", m.rnd.Uint32(), m.rnd.IntN(1<<16), i)}
		}
		c := m.next(i, n)
		c.session, c.at = one.id, begin.Add(time.Duration(i)*20*time.Minute)
		path := fmt.Sprintf("src/%d.txt", i%200)
		text := texts[path] + m.sentence(8) + "\n"
		lines := strings.SplitAfter(text, "\n")
		if len(lines) > 40 {
			text = strings.Join(lines[len(lines)-40:], "")
		}
		texts[path] = text
		one.turn(m, c, path)
		s.commit("refs/heads/main", c.author, c.at, m.sentence(6)+"\n\nEntire-Checkpoint: "+c.id+"\n")
		s.file(path, text)
		s.commit(branchRef, c.author, c.at, fmt.Sprintf("Checkpoint: %s\n\nEntire-Session: %s\nEntire-Strategy: manual-commit\nEntire-Agent: Claude Code\n", c.id, c.session))
		one.files(s, c, path, text)
	}
}

// A simulated session grows with each turn.
type simulated struct {
	id, transcript, messages string
	prompts                  []string
	before                   int // lines of the transcript before this turn
	last                     string
}

// turn adds a prompt, an edit and an answer to the conversation.
func (o *simulated) turn(m *maker, c checkpoint, path string) {
	o.before = strings.Count(o.transcript, "\n")
	o.prompts = append(o.prompts, c.prompt)
	at := c.at.UTC().Format("2006-01-02T15:04:05.000Z")
	answer := m.sentence(80)
	say := func(suffix, kind string, message, stored map[string]any) {
		o.last = c.id + suffix
		o.transcript += encoded(map[string]any{"type": kind, "uuid": o.last, "sessionId": o.id, "timestamp": at, "message": message})
		stored["uuid"], stored["timestamp"], stored["role"] = o.last, at, kind
		if message["role"] == "user" && suffix == "-c" {
			stored["role"] = "tool"
		}
		o.messages += encoded(stored)
	}
	usage := map[string]any{"input_tokens": 100, "output_tokens": 40}
	counted := map[string]any{"input_tokens": 100, "cache_creation_tokens": 0, "cache_read_tokens": 0, "output_tokens": 40, "api_call_count": 1}
	input := map[string]any{"file_path": "/work/" + path, "content": answer}
	say("-a", "user", map[string]any{"role": "user", "content": c.prompt}, map[string]any{"content": c.prompt})
	say("-b", "assistant", map[string]any{"id": "m1" + c.id, "role": "assistant", "model": "demo", "usage": usage, "content": []any{map[string]any{"type": "tool_use", "id": "t" + c.id, "name": "Write", "input": input}}},
		map[string]any{"content": "", "model": "demo", "message_id": "m1" + c.id, "usage": counted, "tool_calls": []any{map[string]any{"id": "t" + c.id, "name": "Write", "input": input}}})
	say("-c", "user", map[string]any{"role": "user", "content": []any{map[string]any{"type": "tool_result", "tool_use_id": "t" + c.id, "content": "ok"}}},
		map[string]any{"content": "ok", "tool_call_id": "t" + c.id, "tool_name": "Write"})
	say("-d", "assistant", map[string]any{"id": "m2" + c.id, "role": "assistant", "model": "demo", "usage": usage, "content": []any{map[string]any{"type": "text", "text": answer}}},
		map[string]any{"content": answer, "model": "demo", "message_id": "m2" + c.id, "usage": counted})
}

func encoded(v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err) // values are made above
	}
	return string(data) + "\n"
}

// files writes a checkpoint as the program writes one.
func (o *simulated) files(s stream, c checkpoint, path, text string) {
	dir := c.id[:2] + "/" + c.id[2:]
	turns := len(o.prompts)
	usage := func(n int) map[string]any {
		return map[string]any{"input_tokens": 200 * n, "cache_creation_tokens": 0, "cache_read_tokens": 0, "output_tokens": 80 * n, "api_call_count": 2 * n}
	}
	hash := fmt.Sprintf("sha256:%x", sha256.Sum256([]byte(o.transcript)))
	common := func(more map[string]any) string {
		v := map[string]any{"cli_version": "dev", "checkpoint_id": c.id, "strategy": "manual-commit", "branch": "main", "checkpoints_count": 1, "files_touched": []string{path}, "token_usage": usage(1)}
		for k, one := range more {
			v[k] = one
		}
		return encoded(v)
	}
	s.file(dir+"/metadata.json", common(map[string]any{"sessions": []any{map[string]any{"metadata": "/" + dir + "/0/metadata.json", "transcript": "/" + dir + "/0/full.jsonl",
		"context": "/" + dir + "/0/context.md", "content_hash": "/" + dir + "/0/content_hash.txt", "prompt": "/" + dir + "/0/prompt.txt"}}}))
	s.file(dir+"/0/metadata.json", common(map[string]any{"session_id": o.id, "created_at": c.at.UTC(), "agent": "Claude Code", "turn_id": c.id, "checkpoint_transcript_start": o.before, "transcript_lines_at_start": o.before,
		"initial_attribution": map[string]any{"calculated_at": c.at.UTC(), "agent_lines": 1, "human_added": 0, "human_modified": 0, "human_removed": 0, "total_committed": 1, "agent_percentage": 100}}))
	s.file(dir+"/0/full.jsonl", o.transcript)
	s.file(dir+"/0/prompt.txt", strings.Join(o.prompts, "\n\n---\n\n"))
	s.file(dir+"/0/context.md", "# Session Context\n\n## User Prompts\n\n"+strings.Join(o.prompts, "\n\n")+"\n")
	s.file(dir+"/0/content_hash.txt", hash)
	s.file(dir+"/messages-0.jsonl", o.messages)
	s.file(dir+"/messages-0.json", encoded(map[string]any{"session_id": o.id, "agent": "Claude Code", "model": "demo", "title": o.prompts[0], "created_at": c.at.Add(-time.Duration(turns-1) * 20 * time.Minute).UTC(), "updated_at": c.at.UTC(),
		"message_count": 4 * turns, "turn_count": turns, "usage": usage(turns), "last_message": o.last, "chunks": 1, "size": len(o.messages), "hash": fmt.Sprintf("sha256:%x", sha256.Sum256([]byte(o.messages))), "transcript": hash}))
	s.file(dir+"/attribution.json", o.lines(c, path, text))
}

// lines is the line record: the last line is the agent's.
func (o *simulated) lines(c checkpoint, path, text string) string {
	blob := fmt.Sprintf("%x", sha1.Sum(fmt.Appendf(nil, "blob %d\x00%s", len(text), text)))
	n := strings.Count(text, "\n")
	lines := strings.SplitAfter(text, "\n")
	owner := map[string]any{"class": "agent", "session_id": o.id, "agent": "Claude Code", "model": "demo", "turn": len(o.prompts)}
	return encoded(map[string]any{"version": 1, "time": c.at.Unix(), "owners": []any{owner}, "files": []any{map[string]any{"path": path, "blob": blob, "lines": n,
		"ranges": []any{map[string]any{"start": n, "count": 1, "owner": 0, "prints": attribution.PrintLines([]byte(lines[n-1]))}}}}})
}

// localSession runs the hooks of a session that changes a file.
func (l *lab) localSession(dir string, i int) error {
	sid := fmt.Sprintf("%08x-0000-4000-9000-%012x", 0xf0000000+i*7919, i)
	path := filepath.Join(l.root, "home", ".claude", "projects", strings.ReplaceAll(dir, "/", "-"), sid+".jsonl")
	m := newMaker()
	one := simulated{id: sid}
	c := checkpoint{id: fmt.Sprintf("%012x", i), at: time.Now(), prompt: fmt.Sprintf("Please change local %d", i)}
	one.turn(m, c, "local.txt")
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	for _, hook := range []string{"session-start", "user-prompt-submit", "stop", "session-end"} {
		text := ""
		if hook == "stop" || hook == "session-end" {
			text = one.transcript
		}
		if hook == "stop" && i == localSessions-1 {
			if err := os.WriteFile(filepath.Join(dir, "local.txt"), fmt.Appendln(nil, i), 0o644); err != nil {
				return err
			}
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			return err
		}
		payload := encoded(map[string]any{"session_id": sid, "transcript_path": path, "cwd": dir, "prompt": c.prompt, "source": "startup", "reason": "exit"})
		cmd := exec.Command(l.bin, "hooks", "claude-code", hook)
		cmd.Dir, cmd.Env, cmd.Stdin = dir, l.env, strings.NewReader(payload)
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("hook %s: %w\n%s", hook, err, out)
		}
	}
	return nil
}
