package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/tidwall/gjson"
)

// sessionNamed makes an agent's ID of a session from a name.
func sessionNamed(name string) string {
	sum := hex.EncodeToString([]byte(fmt.Sprintf("%x", sha256.Sum256([]byte(name)))))
	raw := sha256.Sum256([]byte(sum))
	h := hex.EncodeToString(raw[:])
	return h[:8] + "-" + h[8:12] + "-4" + h[13:16] + "-8" + h[17:20] + "-" + h[20:32]
}

// hookLine is a command of an agent's settings, for the tools that match.
type hookLine struct{ matcher, command string }

// readHooks reads the hooks of a settings file, by event.
func readHooks(ts *testscript.TestScript, file string) map[string][]hookLine {
	out := map[string][]hookLine{}
	gjson.Get(ts.ReadFile(file), "hooks").ForEach(func(event, groups gjson.Result) bool {
		for _, group := range groups.Array() {
			if c := group.Get("command"); c.Exists() {
				out[event.String()] = append(out[event.String()], hookLine{command: c.String()})
			}
			for _, hook := range group.Get("hooks").Array() {
				out[event.String()] = append(out[event.String()], hookLine{group.Get("matcher").String(), hook.Get("command").String()})
			}
		}
		return true
	})
	return out
}

func (h hookLine) runsFor(tool string) bool {
	if h.matcher == "" || h.matcher == "*" || tool == "" {
		return true
	}
	ok, err := regexp.MatchString("^(?:"+h.matcher+")$", tool)
	return err == nil && ok
}

// moment is what an agent has a hook for.
type moment int

const (
	atStart moment = iota
	atPrompt
	beforeTool
	afterTool
	atStop
	atEnd
)

var guarded = regexp.MustCompile(`undo with: entire (rewind [0-9a-f]+ --code(?: --session [0-9a-f-]+)?)`)

// tell calls the hooks for a moment, with the fields, and returns what they printed.
func (v *visit) tell(ts *testscript.TestScript, at moment, tool string, fields map[string]any) string {
	event := v.agent.events[at]
	if v.museum.late || v.deaf || event == "" {
		return ""
	}
	payload := v.agent.payload(ts, v, event)
	maps.Copy(payload, fields)
	data := asAgentsWrite(ts, payload)
	file := filepath.Join(ts.Getenv("HOME"), "payload.json")
	ts.Check(os.WriteFile(file, data, 0o600))
	lines := v.hooks[v.agent.name][event]
	if v.agent.settings == "" {
		lines = []hookLine{{command: "entire hooks " + v.agent.name + " " + event}}
	}
	if dir := v.agent.hookFolder; dir != "" {
		lines = []hookLine{{command: filepath.Join(ts.Getenv("WORK"), "repo", dir, event)}}
	}
	var printed strings.Builder
	for _, line := range lines {
		if line.runsFor(tool) {
			ts.Check(ts.Exec("sh", "-c", `exec sh -c "$0" <"$1"`, line.command, file))
			printed.WriteString(ts.ReadFile("stdout"))
		}
	}
	return printed.String()
}

func museumPrompt(ts *testscript.TestScript, args []string) {
	v := visitOf(ts)
	if _, err := os.Lstat(ts.Getenv("TRANSCRIPT")); err != nil && v.words[v.session] == nil {
		v.tell(ts, atStart, "", map[string]any{"source": "startup"})
		v.agent.begins(ts, v)
	}
	if v.agent.writesPromptFirst {
		v.agent.user(ts, v, args[0])
	}
	v.tell(ts, atPrompt, "", map[string]any{"prompt": args[0]})
	if !v.agent.writesPromptFirst {
		v.agent.user(ts, v, args[0])
	}
}

func museumSays(ts *testscript.TestScript, args []string) {
	v := visitOf(ts)
	v.agent.says(ts, v, args[0])
}

func museumAnswer(ts *testscript.TestScript, _ []string) {
	v := visitOf(ts)
	v.agent.says(ts, v, "Done.")
	v.tell(ts, atStop, "", v.agent.ending(v))
}

func museumEnds(ts *testscript.TestScript, _ []string) {
	visitOf(ts).tell(ts, atEnd, "", map[string]any{"reason": "exit"})
}

func museumResumes(ts *testscript.TestScript, _ []string) {
	visitOf(ts).tell(ts, atStart, "", map[string]any{"source": "resume"})
}

// museumRuns is the agent's shell. It goes on after a command that fails; ! is one that does.
func museumRuns(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 1 {
		ts.Fatalf("usage: [!] runs SCRIPT")
	}
	v := visitOf(ts)
	c := call{tool: v.agent.shell, kind: "shell", input: map[string]any{v.agent.command: args[0]}}
	said := guarded.FindStringSubmatch(v.before(ts, &c))
	v.undo = nil
	if said != nil {
		v.undo = strings.Fields(said[1])
	}
	if err := ts.Exec("sh", "-e", "-c", args[0]); (err != nil) != neg {
		ts.Fatalf("runs: %v", err)
	}
	c.output = ts.ReadFile("stdout")
	v.after(ts, &c)
}

// museumTypes is a person at work in an editor that keeps a local history, as VS Code does.
func museumTypes(ts *testscript.TestScript, args []string) {
	lessonSh(ts, false, args[:1])
	for _, file := range args[1:] {
		path := ts.MkAbs(file)
		sum := fmt.Sprintf("%x", sha256.Sum256([]byte(path)))[:8]
		dir := filepath.Join(ts.Getenv("HOME"), ".config", "Code", "User", "History", "-"+sum)
		ts.Check(os.MkdirAll(dir, 0o755))
		entries, name := []any{}, fmt.Sprintf("v%03d%s", visitOf(ts).next(), filepath.Ext(path))
		if before, err := os.ReadFile(filepath.Join(dir, "entries.json")); err == nil {
			entries, _ = gjson.GetBytes(before, "entries").Value().([]any)
		}
		entries = append(entries, map[string]any{"id": name, "timestamp": time.Now().UnixMilli()})
		table, err := json.Marshal(map[string]any{"version": 1, "resource": "file://" + path, "entries": entries})
		ts.Check(err)
		ts.Check(os.WriteFile(filepath.Join(dir, "entries.json"), table, 0o644))
		ts.Check(os.WriteFile(filepath.Join(dir, name), []byte(ts.ReadFile(file)), 0o644))
	}
}

func museumTold(ts *testscript.TestScript, _ []string) {
	v := visitOf(ts)
	if v.undo == nil {
		ts.Fatalf("the guard has told nothing")
	}
	ts.Check(ts.Exec("entire", append(v.undo, "-y")...))
}

func museumReads(ts *testscript.TestScript, args []string) {
	v := visitOf(ts)
	if v.agent.read == "" {
		museumRuns(ts, false, []string{"cat " + args[0]})
		return
	}
	c := call{tool: v.agent.read, kind: "read", path: ts.MkAbs(args[0])}
	c.input = map[string]any{v.agent.path: c.path}
	v.before(ts, &c)
	c.output = ts.ReadFile(args[0])
	v.after(ts, &c)
}

func museumWrites(ts *testscript.TestScript, args []string) {
	v := visitOf(ts)
	text := args[1]
	if name, is := strings.CutPrefix(text, "@"); is {
		text = ts.ReadFile(name)
	} else if text != "" {
		text += "\n"
	}
	c := call{tool: v.agent.write, kind: "write", path: ts.MkAbs(args[0]), to: text}
	if was, err := os.ReadFile(c.path); err == nil {
		c.was, c.existed = string(was), true
	}
	c.input = map[string]any{v.agent.path: c.path, v.agent.content: text}
	v.change(ts, &c)
}

func museumReplaces(ts *testscript.TestScript, args []string) {
	v := visitOf(ts)
	c := call{tool: v.agent.edit, kind: "edit", path: ts.MkAbs(args[0]), old: args[1], new: args[2], existed: true}
	c.was = ts.ReadFile(args[0])
	if strings.Count(c.was, c.old) != 1 {
		ts.Fatalf("%s does not have %q once", args[0], c.old)
	}
	c.to = strings.Replace(c.was, c.old, c.new, 1)
	c.input = map[string]any{v.agent.path: c.path, v.agent.old: c.old, v.agent.new: c.new}
	if v.agent.name == "pi" {
		c.input = map[string]any{"path": c.path, "edits": []any{map[string]any{"oldText": c.old, "newText": c.new}}}
	}
	v.change(ts, &c)
}

// change is a call that gives a file new content.
func (v *visit) change(ts *testscript.TestScript, c *call) {
	v.before(ts, c)
	ts.Check(os.MkdirAll(filepath.Dir(c.path), 0o755))
	ts.Check(os.WriteFile(c.path, []byte(c.to), 0o644))
	c.output = "Done: " + c.path
	v.after(ts, c)
}

// call is one call of a tool.
type call struct {
	id, tool, kind string
	input          map[string]any
	output         string

	path, was, to, old, new string
	existed                 bool
}

func (v *visit) before(ts *testscript.TestScript, c *call) string {
	v.lines++
	c.id = fmt.Sprintf("call_%d", v.lines)
	v.agent.calls(ts, v, c)
	return v.tell(ts, beforeTool, v.agent.hookTool(c), v.agent.toolFields(c, false))
}

func (v *visit) after(ts *testscript.TestScript, c *call) {
	v.agent.results(ts, v, c)
	v.tell(ts, afterTool, v.agent.hookTool(c), v.agent.toolFields(c, true))
}

// next is a number that no other line has, and stamp the present time, as agents write it.
func (v *visit) next() int { v.lines++; return v.lines }

func stamp() string { return time.Now().UTC().Format("2006-01-02T15:04:05.000Z") }

// line adds a line to the transcript.
func (v *visit) line(ts *testscript.TestScript, fields map[string]any) {
	ts.Check(appendFile(ts.Getenv("TRANSCRIPT"), asAgentsWrite(ts, fields)))
}

// asAgentsWrite is the JSON of a value on a line, in which < > and & stand as they are.
func asAgentsWrite(ts *testscript.TestScript, value any) []byte {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	ts.Check(enc.Encode(value))
	return out.Bytes()
}
