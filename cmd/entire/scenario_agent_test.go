package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// A session of a scenario writes its transcript as Claude Code does: the call of
// a tool before it runs, the result after it.

func cmdTurn(ts *testscript.TestScript, args []string) {
	cmdBegin(ts, args[:2])
	of(ts).tool(ts, args[0], "Bash", map[string]string{"command": args[2]}, func() {
		ts.Check(ts.Exec("sh", "-e", "-c", args[2]))
	})
	cmdEnd(ts, args[:1])
}

func cmdBegin(ts *testscript.TestScript, args []string) {
	sc := of(ts)
	sc.hook(ts, args[0], "user-prompt-submit", map[string]string{"prompt": args[1]})
	sc.say(ts, args[0], "user", args[1])
}

// cmdShell is what an agent does in its shell; ! is a script that fails.
func cmdShell(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: [!] shell SESSION SCRIPT")
	}
	sc := of(ts)
	ts.Setenv("CLAUDECODE", "1")
	sc.tool(ts, args[0], "Bash", map[string]string{"command": args[1]}, func() {
		sc.asGitDoes(ts, neg, "sh", "-e", "-c", args[1])
	})
	ts.Setenv("CLAUDECODE", "")
}

func cmdEdit(ts *testscript.TestScript, args []string) {
	of(ts).tool(ts, args[0], "Edit", map[string]string{"file_path": ts.MkAbs(args[1])}, func() {
		ts.Check(ts.Exec("sh", "-e", "-c", args[2]))
	})
}

func cmdEnd(ts *testscript.TestScript, args []string) {
	of(ts).say(ts, args[0], "assistant", "Done.")
	of(ts).hook(ts, args[0], "stop", nil)
}

func cmdEvent(ts *testscript.TestScript, args []string) {
	fields := map[string]string{}
	for _, arg := range args[2:] {
		key, value, _ := strings.Cut(arg, "=")
		fields[key] = value
	}
	of(ts).hook(ts, args[0], args[1], fields)
}

func (sc *scenario) transcript(session string) string {
	return filepath.Join(sc.home, ".claude", "projects", filepath.Base(sc.root), session+".jsonl")
}

// hook calls a hook of the agent's. It must print nothing and leave index and
// HEAD alone.
func (sc *scenario) hook(ts *testscript.TestScript, session, verb string, fields map[string]string) {
	payload := map[string]string{"session_id": session, "transcript_path": sc.transcript(session), "cwd": ts.MkAbs("."), "hook_event_name": verb}
	maps.Copy(payload, fields)
	data, err := json.Marshal(payload)
	ts.Check(err)
	if fields["transcript_path"] == "" {
		ts.Check(appendFile(sc.transcript(session), nil))
	}
	before := sc.indexAndHead(ts)
	out, err := sc.feed(ts, string(data), "entire", "hooks", "claude-code", verb)
	ts.Check(err)
	if verb != "session-start" && out != "" {
		ts.Fatalf("%s is not silent: %s", verb, out)
	}
	if sc.indexAndHead(ts) != before {
		ts.Fatalf("%s changed the index or HEAD", verb)
	}
}

// gitDir is that of the worktree around the script's folder, "" outside one.
func (sc *scenario) gitDir(ts *testscript.TestScript) string {
	for dir := ts.MkAbs("."); strings.HasPrefix(dir, sc.root); dir = filepath.Dir(dir) {
		gitDir := filepath.Join(dir, ".git")
		if link, err := os.ReadFile(gitDir); err == nil {
			gitDir = strings.TrimSpace(strings.TrimPrefix(string(link), "gitdir: "))
		}
		if _, err := os.Stat(filepath.Join(gitDir, "HEAD")); err == nil {
			return gitDir
		}
	}
	return ""
}

func (sc *scenario) indexAndHead(ts *testscript.TestScript) string {
	head, _ := os.ReadFile(filepath.Join(sc.gitDir(ts), "HEAD"))
	index, _ := os.ReadFile(filepath.Join(sc.gitDir(ts), "index"))
	return string(head) + string(index)
}

func (sc *scenario) say(ts *testscript.TestScript, session, kind, text string) {
	sc.line(ts, session, kind, map[string]any{"type": "text", "text": text})
}

// tool notes the call, does it, and notes the result.
func (sc *scenario) tool(ts *testscript.TestScript, session, name string, input map[string]string, do func()) {
	call := fmt.Sprintf("toolu_%d", sc.lines)
	sc.line(ts, session, "assistant", map[string]any{"type": "tool_use", "id": call, "name": name, "input": input})
	do()
	sc.line(ts, session, "user", map[string]any{"type": "tool_result", "tool_use_id": call, "content": "ok"})
}

func (sc *scenario) line(ts *testscript.TestScript, session, kind string, block map[string]any) {
	sc.lines++
	data, err := json.Marshal(map[string]any{
		"type": kind, "uuid": fmt.Sprintf("00000000-0000-4000-8000-%012d", sc.lines), "sessionId": session,
		"timestamp": "2026-01-02T03:04:05.000Z",
		"message":   map[string]any{"id": fmt.Sprintf("msg_%d", sc.lines), "role": kind, "content": []any{block}},
	})
	ts.Check(err)
	ts.Check(appendFile(sc.transcript(session), append(data, '\n')))
}

func appendFile(path string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	if _, err := f.Write(data); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}
