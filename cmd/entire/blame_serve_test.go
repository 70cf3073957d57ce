package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"entire/internal/testrepo"
)

// An editing is a worktree with a poem of three lines, the last two an agent's, and a program that serves it.
type editing struct {
	t    *testing.T
	repo string
	env  []string
	cmd  *exec.Cmd
	in   io.WriteCloser
	out  *bufio.Reader

	lines  []int          // the owner of each line, as told
	owners map[string]any // by number
}

const editingSession = "5e55104f-0000-4000-8000-000000000001"

func newEditing(t *testing.T) *editing {
	t.Helper()
	e := &editing{t: t, repo: filepath.Join(t.TempDir(), "repo"), env: append(testrepo.Environ(testrepo.NewHome(t)), "ENTIRE_TEST_TTY=0")}
	if err := os.MkdirAll(e.repo, 0o755); err != nil {
		t.Fatal(err)
	}
	e.write("poem.txt", "the first line\n")
	e.run("", "git", "init", "-q", "-b", "main")
	e.commit("first")
	e.run("", "entire", "enable", "--agent", "generic")
	e.commit("use entire")
	e.turn("Add two lines to the poem", "poem.txt", "the first line\nthe rose of the garden is red\nthe violet in the meadow is blue\n")
	e.commit("Write a poem")
	return e
}

// turn is an agent's turn that writes a file.
func (e *editing) turn(prompt, path, text string) {
	e.t.Helper()
	payload := func(more string) string {
		return fmt.Sprintf(`{"session_id":%q,"cwd":%q,"agent":"My Agent",%s}`, editingSession, e.repo, more)
	}
	e.run(payload(fmt.Sprintf(`"prompt":%q`, prompt)), "entire", "hooks", "generic", "turn-start")
	e.write(path, text)
	e.run(payload(fmt.Sprintf(`"response":"Done.","files":[%q]`, path)), "entire", "hooks", "generic", "turn-end")
}

func (e *editing) commit(message string) {
	e.t.Helper()
	e.run("", "git", "add", "-A")
	e.run("", "git", "commit", "-q", "-m", message)
}

func (e *editing) write(path, text string) {
	e.t.Helper()
	if err := os.WriteFile(filepath.Join(e.repo, path), []byte(text), 0o644); err != nil {
		e.t.Fatal(err)
	}
}

func (e *editing) command(name string, args ...string) *exec.Cmd {
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Env = e.repo, e.env
	return cmd
}

func (e *editing) run(stdin, name string, args ...string) string {
	e.t.Helper()
	cmd := e.command(name, args...)
	cmd.Stdin = strings.NewReader(stdin)
	out, err := cmd.CombinedOutput()
	if err != nil {
		e.t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
	return string(out)
}

func (e *editing) start() {
	e.t.Helper()
	e.cmd = e.command("entire", "blame", "--serve")
	e.cmd.Stderr = os.Stderr
	in, err := e.cmd.StdinPipe()
	if err != nil {
		e.t.Fatal(err)
	}
	out, err := e.cmd.StdoutPipe()
	if err == nil {
		err = e.cmd.Start()
	}
	if err != nil {
		e.t.Fatal(err)
	}
	e.in, e.out, e.owners = in, bufio.NewReaderSize(out, 1<<16), map[string]any{}
	e.t.Cleanup(func() { _ = e.cmd.Process.Kill(); _ = e.cmd.Wait() })
}

func (e *editing) send(line string) {
	e.t.Helper()
	if _, err := io.WriteString(e.in, line+"\n"); err != nil {
		e.t.Fatal(err)
	}
}

type message map[string]any

func (e *editing) read() message {
	e.t.Helper()
	line, err := e.out.ReadString('\n')
	var m message
	if err == nil {
		err = json.Unmarshal([]byte(line), &m)
	}
	if err != nil {
		e.t.Fatalf("%v: %q", err, line)
	}
	if result, ok := m["result"].(map[string]any); ok {
		if told, ok := result["owners"].(map[string]any); ok {
			maps.Copy(e.owners, told)
		}
	}
	return m
}

// ask sends a request and returns its answer, without the notices before it.
func (e *editing) ask(id int, method, params string) message {
	e.t.Helper()
	e.send(fmt.Sprintf(`{"id":%d,"method":%q,"params":%s}`, id, method, params))
	return e.await(func(m message) bool { return m["id"] == float64(id) })
}

func (e *editing) await(wanted func(message) bool) message {
	e.t.Helper()
	for {
		if m := e.read(); wanted(m) {
			return m
		}
	}
}

func (e *editing) hello() {
	e.t.Helper()
	e.start()
	if m := e.ask(0, "hello", `{"version":1}`); m["error"] != nil {
		e.t.Fatal(m)
	}
}

func code(m message) any {
	if f, ok := m["error"].(map[string]any); ok {
		return f["code"]
	}
	return nil
}

// TestBlameServeTranscript plays the example of docs/editors.md.
func TestBlameServeTranscript(t *testing.T) {
	t.Parallel()
	doc, err := os.ReadFile(filepath.Join("..", "..", "docs", "editors.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, block, found := strings.Cut(string(doc), "```transcript\n")
	block, _, ended := strings.Cut(block, "\n```")
	if !found || !ended {
		t.Fatal("docs/editors.md has no transcript")
	}
	e := newEditing(t)
	e.start()
	for line := range strings.Lines(block) {
		line = strings.TrimSuffix(line, "\n")
		if request, ok := strings.CutPrefix(line, "> "); ok {
			e.send(request)
			continue
		}
		var want any
		if err := json.Unmarshal([]byte(strings.TrimPrefix(line, "< ")), &want); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		if got := e.read(); !alike(want, map[string]any(got)) {
			text, _ := json.Marshal(got)
			t.Fatalf("documented %s\ngot        < %s", line, text)
		}
	}
	if err := e.in.Close(); err != nil {
		t.Fatal(err)
	}
	if err := e.cmd.Wait(); err != nil {
		t.Errorf("after the end of its input: %v", err)
	}
}

// alike compares JSON values; … in a wanted text stands for any.
func alike(want, got any) bool {
	switch w := want.(type) {
	case map[string]any:
		g, ok := got.(map[string]any)
		if !ok || len(g) != len(w) {
			return false
		}
		for name := range w {
			if !alike(w[name], g[name]) {
				return false
			}
		}
		return true
	case []any:
		g, ok := got.([]any)
		return ok && slices.EqualFunc(w, g, alike)
	case string:
		g, ok := got.(string)
		return ok && regexp.MustCompile("^"+strings.ReplaceAll(regexp.QuoteMeta(w), "…", ".+")+"$").MatchString(g)
	}
	return reflect.DeepEqual(want, got)
}

// TestBlameServeHostile sends what no editor should, and then asks as one should.
func TestBlameServeHostile(t *testing.T) {
	t.Parallel()
	e := newEditing(t)
	e.start()
	for _, c := range []struct{ line, code string }{
		{`{"id":1,"method":"open","params":{"path":"poem.txt"}}`, "no-hello"},
		{`{"id":1,"method":"hello","params":{"version":99}}`, "version"},
		{`{"id":1,"method":"hello","params":{"version":"x"}}`, "params"},
		{`{"id":1,"method":"hello"}`, "params"},
		{`{"id":1,"method":"hello","params":{"version":1}}`, ""},
		{`[1,2]`, "bad-json"}, {`{`, "bad-json"}, {`null`, "bad-json"}, {"\x00\xff", "bad-json"}, {strings.Repeat("[", 100_000), "bad-json"},
		{`{"method":"open","params":{}}`, "bad-id"}, {`{"id":{},"method":"open"}`, "bad-id"}, {`{"id":null,"method":"open"}`, "bad-id"},
		{`{"id":2,"method":"rm","params":{}}`, "method"},
		{`{"id":2,"method":"open","params":{"path":7}}`, "params"}, {`{"id":2,"method":"open","params":{"path":""}}`, "params"},
		{`{"id":2,"method":"open","params":{"path":"a\u0000b"}}`, "params"},
		{`{"id":2,"method":"open","params":{"path":"../../etc/passwd"}}`, "outside"}, {`{"id":2,"method":"open","params":{"path":"/etc/passwd"}}`, "outside"},
		{`{"id":2,"method":"open","params":{"path":".git/config"}}`, "outside"}, {`{"id":2,"method":"open","params":{"path":"."}}`, "outside"},
		{`{"id":2,"method":"open","params":{"path":"--not-there"}}`, "no-blame"},
		{`{"id":2,"method":"edit","params":{"path":"poem.txt","changes":[]}}`, "not-open"},
		{`{"id":2,"method":"why","params":{"path":"poem.txt","line":1}}`, "not-open"},
		{`{"id":3,"method":"` + strings.Repeat("x", 100<<20) + `"}`, "too-large"},
		{`{"id":"open","method":"open","params":{"path":"poem.txt"}}`, ""},
		{`{"id":4,"method":"edit","params":{"path":"poem.txt","changes":[{"from":0,"to":1,"lines":[]}]}}`, "params"},
		{`{"id":4,"method":"edit","params":{"path":"poem.txt","changes":[{"from":3,"to":2,"lines":[]}]}}`, "params"},
		{`{"id":4,"method":"edit","params":{"path":"poem.txt","changes":[{"from":1,"to":4,"lines":[]},{"from":2,"to":2,"lines":["x"]}]}}`, "params"},
		{`{"id":4,"method":"why","params":{"path":"poem.txt","line":4}}`, "params"},
	} {
		e.send(c.line)
		m := e.await(func(m message) bool { return m["notice"] == nil })
		if got := code(m); got != c.code && (got != nil || c.code != "") {
			t.Errorf("%.80s: %v, not %s", c.line, m, c.code)
		}
	}
	if m := e.ask(5, "edit", `{"path":"poem.txt","changes":[{"from":1,"to":4,"lines":[]}]}`); m["result"] == nil {
		t.Errorf("all lines removed: %v", m)
	}
}

// TestBlameServeEditorGone ends with the editor that reads no more.
func TestBlameServeEditorGone(t *testing.T) {
	t.Parallel()
	e := newEditing(t)
	e.cmd = e.command("entire", "blame", "--serve")
	in, err := e.cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	e.cmd.Stdout = w
	if err := e.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	w.Close()
	r.Close()
	_, _ = io.WriteString(in, `{"id":1,"method":"hello","params":{"version":1}}`+"\n") // its input stays open
	if err := e.cmd.Wait(); err == nil {
		t.Error("it ended as if all was well")
	}
}

// TestBlameServeNotices changes the file and HEAD below the editor.
func TestBlameServeNotices(t *testing.T) {
	t.Parallel()
	e := newEditing(t)
	e.hello()
	e.ask(1, "open", `{"path":"poem.txt"}`)
	e.ask(2, "edit", `{"path":"poem.txt","changes":[{"from":1,"to":1,"lines":["typed"]}]}`)
	e.turn("Change a line", "poem.txt", "the first line\nthe tulip is yellow\nthe violet in the meadow is blue\n")
	e.await(func(m message) bool {
		return m["notice"] == "changed" && m["what"] == "file" && m["path"] == "poem.txt"
	})
	if got, want := e.classes(e.ask(3, "refresh", `{"path":"poem.txt"}`)), "human/unsaved unknown agent/recorded agent/recorded"; got != want {
		t.Errorf("the buffer keeps the line that the agent removed on disk: %s, not %s", got, want)
	}
	if got, want := e.classes(e.ask(4, "refresh", `{"path":"poem.txt","saved":true}`)), "unknown agent/uncommitted agent/recorded"; got != want {
		t.Errorf("as on disk: %s, not %s", got, want)
	}
	e.commit("Change a line")
	e.await(func(m message) bool { return m["notice"] == "changed" && m["what"] == "head" })
	if got, want := e.classes(e.ask(5, "refresh", `{"path":"poem.txt"}`)), "unknown agent/recorded agent/recorded"; got != want {
		t.Errorf("committed: %s, not %s", got, want)
	}
}

// classes returns class and evidence of all lines, as the editor knows them after an answer.
func (e *editing) classes(m message) string {
	e.t.Helper()
	e.learn(m, nil)
	var out []string
	for _, n := range e.lines {
		o := e.owners[fmt.Sprint(n)].(map[string]any)
		if out = append(out, fmt.Sprintf("%v/%v", o["class"], o["evidence"])); o["class"] == "unknown" {
			out[len(out)-1] = "unknown"
		}
	}
	return strings.Join(out, " ")
}

// learn takes an answer to a request, as a plug-in does: changes are those that the request had.
func (e *editing) learn(m message, changes []lineChange) {
	e.t.Helper()
	result, ok := m["result"].(map[string]any)
	if !ok {
		e.t.Fatal(m)
	}
	for _, c := range changes {
		e.lines = slices.Replace(e.lines, c.From-1, c.To-1, make([]int, len(c.Lines))...)
	}
	total := int(result["lines"].(float64))
	if result["all"] == true {
		e.lines = make([]int, total)
	}
	for _, r := range result["runs"].([]any) {
		run := r.([]any)
		from, count := int(run[0].(float64)), int(run[1].(float64))
		for i := range count {
			e.lines[from-1+i] = int(run[2].(float64))
		}
	}
	if len(e.lines) != total {
		e.t.Fatalf("%d lines, and %d are told", len(e.lines), total)
	}
}

type lineChange struct {
	From  int      `json:"from"`
	To    int      `json:"to"`
	Lines []string `json:"lines"`
}

// TestBlameServeEditsLikeAnew edits at random. What an editor knows after each edit is what another one is told that
// opens the same buffer.
func TestBlameServeEditsLikeAnew(t *testing.T) {
	t.Parallel()
	e := newEditing(t)
	lines := []string{}
	for i := range 60 {
		lines = append(lines, fmt.Sprintf("line %d of an agent's program", i), "}")
	}
	e.turn("Write a program", "program.txt", strings.Join(lines, "\n")+"\n")
	e.commit("program")
	e.hello()
	e.learn(e.ask(1, "open", `{"path":"program.txt"}`), nil)
	other := &editing{t: t, repo: e.repo, env: e.env}
	other.hello()
	rng := rand.New(rand.NewPCG(1, 2))
	for n := 2; n < 150; n++ {
		var changes []lineChange
		for range 1 + rng.IntN(2) {
			from := 1 + rng.IntN(len(lines)+1)
			c := lineChange{From: from, To: min(from+rng.IntN(4), len(lines)+1), Lines: []string{}}
			for range rng.IntN(4) {
				c.Lines = append(c.Lines, []string{"typed " + fmt.Sprint(rng.IntN(9)), "}", "   line " + fmt.Sprint(rng.IntN(60)) + " of an agent's program", ""}[rng.IntN(4)])
			}
			lines = slices.Replace(lines, c.From-1, c.To-1, c.Lines...)
			changes = append(changes, c)
		}
		params, _ := json.Marshal(map[string]any{"path": "program.txt", "changes": changes})
		e.learn(e.ask(n, "edit", string(params)), changes)
		text := ""
		for _, l := range lines {
			text += l + "\n"
		}
		params, _ = json.Marshal(map[string]any{"path": "program.txt", "text": text})
		other.learn(other.ask(n, "open", string(params)), nil)
		if got, want := e.said(), other.said(); !slices.Equal(got, want) {
			t.Fatalf("after edit %d, %+v:\n%v\nanew:\n%v", n, changes, got, want)
		}
	}
}

// said returns the owner of each line in words.
func (e *editing) said() (out []string) {
	for _, n := range e.lines {
		o := e.owners[fmt.Sprint(n)].(map[string]any)
		out = append(out, fmt.Sprint(o["commit"], o["turn"], o["who"]))
	}
	return out
}

// TestBlameServeCancels cancels requests, and asks again for a file before it has an answer. Each request gets one
// answer.
func TestBlameServeCancels(t *testing.T) {
	t.Parallel()
	e := newEditing(t)
	e.hello()
	const asked = 40
	for n := 1; n <= asked; n++ {
		e.send(fmt.Sprintf(`{"id":%d,"method":"open","params":{"path":"poem.txt"}}`, n))
		if n%3 == 0 {
			e.send(fmt.Sprintf(`{"id":"cancel %d","method":"cancel","params":{"id":%d}}`, n, n))
		}
	}
	answers, codes := map[any]int{}, map[any]int{}
	for range asked + asked/3 {
		m := e.await(func(m message) bool { return m["notice"] == nil })
		answers[m["id"]]++
		codes[code(m)]++
	}
	for n := 1; n <= asked; n++ {
		if answers[float64(n)] != 1 {
			t.Errorf("request %d has %d answers", n, answers[float64(n)])
		}
	}
	if codes["cancelled"] == 0 && codes["outdated"] == 0 || codes[nil] < 1+asked/3 {
		t.Errorf("answers by code: %v", codes)
	}
	for name := range codes {
		if name != nil && name != "cancelled" && name != "outdated" {
			t.Errorf("answers by code: %v", codes)
		}
	}
}
