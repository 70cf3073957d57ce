package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// clineDocument writes the whole document again with every message.
type clineDocument struct{}

func (clineDocument) message(ts *testscript.TestScript, v *visit, role string, block obj) {
	v.words[v.session] = append(v.words[v.session], obj{"id": fmt.Sprintf("m%d", v.next()), "role": role, "content": []any{block}, "ts": time.Now().UnixMilli()})
	data, err := json.Marshal(obj{"version": 1, "agent": "lead", "sessionId": v.session, "origin": obj{"source": "cli", "version": "3.0.65"}, "messages": v.words[v.session]})
	ts.Check(err)
	path := ts.Getenv("TRANSCRIPT")
	ts.Check(os.MkdirAll(filepath.Dir(path), 0o755))
	ts.Check(os.WriteFile(path, data, 0o600))
}

func (clineDocument) begin(ts *testscript.TestScript, v *visit) {
	path := ts.Getenv("TRANSCRIPT")
	ts.Check(os.MkdirAll(filepath.Dir(path), 0o755))
	data, err := json.Marshal(obj{"session_id": v.session, "cwd": ts.MkAbs("."), "messages_path": path})
	ts.Check(err)
	ts.Check(os.WriteFile(filepath.Join(filepath.Dir(path), v.session+".json"), data, 0o600))
}

func (w clineDocument) user(ts *testscript.TestScript, v *visit, text string) {
	w.message(ts, v, "user", obj{"type": "text", "text": `<user_input mode="act">` + text + `</user_input>`})
}

func (w clineDocument) says(ts *testscript.TestScript, v *visit, text string) {
	w.message(ts, v, "assistant", obj{"type": "text", "text": text})
}

func (w clineDocument) call(ts *testscript.TestScript, v *visit, c *call) {
	w.message(ts, v, "assistant", obj{"type": "tool_use", "id": c.id, "name": c.tool, "input": c.input})
}

func (w clineDocument) result(ts *testscript.TestScript, v *visit, c *call) {
	w.message(ts, v, "user", obj{"type": "tool_result", "tool_use_id": c.id, "content": c.output})
}

// openMessages are those of OpenCode and Kilo, which keep them in a database and tell them at a turn's end.
type openMessages struct{}

func (openMessages) message(v *visit, role string, part obj) {
	n := v.next()
	part["id"] = fmt.Sprintf("prt_%06d", n)
	v.words[v.session] = append(v.words[v.session], obj{
		"info":  obj{"id": fmt.Sprintf("msg_%06d", n), "sessionID": v.session, "role": role, "time": obj{"created": time.Now().UnixMilli()}},
		"parts": []any{part}})
}

func (openMessages) begin(*testscript.TestScript, *visit) {}

// snapshot keeps the worktree in a repository of the program's own, as OpenCode does at every step.
func (openMessages) snapshot(ts *testscript.TestScript, v *visit) {
	if v.museum.late {
		ts.Check(ts.Exec("sh", "-e", "-c", `root=$(git rev-list --max-parents=0 HEAD | tail -1)
top=$(git rev-parse --show-toplevel)
dir=$HOME/.local/share/$0/snapshot/$root
mkdir -p "${dir%/*}"
test -d "$dir" || GIT_DIR=$dir GIT_WORK_TREE=$top git init -q
git --git-dir "$dir" config core.autocrlf false
git --git-dir "$dir" --work-tree "$top" add "$top"
git --git-dir "$dir" --work-tree "$top" write-tree >/dev/null`, v.agent.name))
	}
}

func (w openMessages) user(ts *testscript.TestScript, v *visit, text string) {
	w.snapshot(ts, v)
	w.message(v, "user", obj{"type": "text", "text": text})
}

func (w openMessages) says(_ *testscript.TestScript, v *visit, text string) {
	w.message(v, "assistant", obj{"type": "text", "text": text})
}

func (w openMessages) call(ts *testscript.TestScript, v *visit, _ *call) { w.snapshot(ts, v) }

func (w openMessages) result(_ *testscript.TestScript, v *visit, c *call) {
	w.message(v, "assistant", obj{"type": "tool", "tool": c.tool, "callID": c.id, "state": obj{"status": "completed", "input": c.input, "output": c.output}})
}

// genericLines are those of an agent that Entire has no adapter for.
type genericLines struct{}

func (genericLines) begin(*testscript.TestScript, *visit) {}

func (genericLines) user(ts *testscript.TestScript, v *visit, text string) {
	v.line(ts, obj{"id": fmt.Sprintf("g%d", v.next()), "role": "user", "content": text})
}

func (genericLines) says(ts *testscript.TestScript, v *visit, text string) {
	v.line(ts, obj{"id": fmt.Sprintf("g%d", v.next()), "role": "assistant", "content": text})
}

func (genericLines) call(*testscript.TestScript, *visit, *call) {}

func (genericLines) result(ts *testscript.TestScript, v *visit, c *call) {
	v.line(ts, obj{"id": fmt.Sprintf("g%d", v.next()), "role": "tool", "content": c.output})
}
