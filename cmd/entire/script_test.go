package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/rogpeppe/go-internal/txtar"
	"github.com/tidwall/gjson"

	"entire/agent/agents"
	"entire/internal/testrepo"
)

func TestMain(m *testing.M) {
	testscript.Main(withPrograms{m}, map[string]func(){
		"entire":     func() {},             // the real one is before it on PATH; here it becomes a command of scripts
		"entire-hub": func() { os.Exit(2) }, // scripts only name it
		"entire-mcp": func() { os.Exit(2) }, // likewise; TestEntireMCP starts it
	})
}

// withPrograms are the tests with the programs that they start on PATH.
type withPrograms struct{ *testing.M }

func (m withPrograms) Run() int {
	dir, err := os.MkdirTemp("", "entire-programs")
	if err == nil {
		defer os.RemoveAll(dir)
		err = testrepo.BuildInto(dir, "entire", "entire-bucket", "entire-otel")
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	os.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	return m.M.Run()
}

// The scripts are the program's acceptance tests, and meant to be read. Beside
// testscript's own commands they use:
//
//	prompt TEXT        a person submits a prompt to the agent
//	says TEXT          the agent writes TEXT to its transcript
//	edits FILE...      the agent notes in its transcript that it edited FILE
//	answer             the agent's turn ends
//	agent VERB [K=V]   any other hook of the agent's
//	lacks FILE TEXT    no file below FILE contains TEXT
//	example NAME       put the plug-in below examples/NAME into $WORK/programs
//	json PATH WANT     the value at PATH of the JSON printed last is WANT
//	tty KEYS CMD...    run CMD on a terminal, where a person types KEYS (Linux)
//	shows CMD...       run CMD, which shows nothing that a terminal would obey
//	identity NAME [PASSPHRASE]
//	                   make a key pair: $WORK/NAME and $WORK/NAME.pub
//	canaries plant N   turns with N canaries in what is said
//	canaries more      one more such turn
//	canaries none      no canary is in clear in what git or the program keeps
//	bucket DO          start a bucket, and do things to it: see cmdBucket
//	shown [NAME...]    every command showed $HOSTILE, but those named
//
// [folds] is where names that differ in case are one, and [tables] where git keeps refs in tables instead of files.
//
// The session is $SESSION, its transcript $TRANSCRIPT, and the home directory is
// empty but for git's identity. [full] is true, and $CLONES names twenty clones instead
// of six, in `make full`.
//
// Testscript's own `stop` ends a script as passed, and is easily taken for the end of a turn: it is only used
// with a condition.
func TestScripts(t *testing.T) {
	noStop(t)
	t.Parallel()
	testscript.Run(t, testscript.Params{
		Dir:   filepath.Join("..", "..", "testdata", "script"),
		Setup: setupScript,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"prompt": cmdPrompt, "says": cmdSays, "edits": cmdEdits, "answer": cmdAnswer, "agent": cmdAgent,
			"lacks": cmdLacks, "json": cmdJSON, "example": cmdExample, "tty": cmdTTY, "shows": cmdShows, "shown": cmdShown,
			"identity": cmdIdentity, "canaries": cmdCanaries, "bucket": cmdBucket,
		},
		Condition:          scriptCondition,
		RequireUniqueNames: true,
	})
}

// noStop fails if a script has the command stop without a condition.
func noStop(t *testing.T) {
	scripts, err := filepath.Glob(filepath.Join("..", "..", "testdata", "script", "*.txtar"))
	if err != nil || len(scripts) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	for _, name := range scripts {
		script, err := txtar.ParseFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(script.Comment)) {
			if words := strings.Fields(line); len(words) > 0 && words[0] == "stop" {
				t.Errorf("%s: `stop` ends the script; `answer` ends a turn", name)
			}
		}
	}
}

// scriptCondition knows [full], [folds] and [tables].
func scriptCondition(name string) (bool, error) {
	switch name {
	case "full":
		return testrepo.Full(), nil
	case "folds":
		return namesFold()
	case "tables":
		return refsInTables()
	}
	return false, fmt.Errorf("unknown condition %q", name)
}

// refsInTables reports whether a new repository of the tests' git has its refs in tables.
var refsInTables = sync.OnceValues(func() (bool, error) {
	dir, err := os.MkdirTemp("", "tables")
	if err != nil {
		return false, err
	}
	defer os.RemoveAll(dir)
	if out, err := exec.Command("git", "init", "--quiet", dir).CombinedOutput(); err != nil {
		return false, fmt.Errorf("git init: %w: %s", err, out)
	}
	_, err = os.Lstat(filepath.Join(dir, ".git", "reftable"))
	return err == nil, nil
})

func namesFold() (bool, error) {
	dir, err := os.MkdirTemp("", "folds")
	if err != nil {
		return false, err
	}
	defer os.RemoveAll(dir)
	if err := os.WriteFile(filepath.Join(dir, "name"), nil, 0o600); err != nil {
		return false, err
	}
	_, err = os.Lstat(filepath.Join(dir, "NAME"))
	return err == nil, nil
}

func setupScript(env *testscript.Env) error {
	home := testrepo.NewHome(env.T().(testing.TB))
	for _, kv := range testrepo.Environ(home) {
		if name, value, _ := strings.Cut(kv, "="); name != "PATH" && !strings.HasPrefix(name, "TMP") {
			env.Setenv(name, value)
		}
	}
	env.Setenv("PATH", withoutAgents(env.Getenv("PATH")))
	env.Setenv("ENTIRE_TEST_TTY", "0")
	env.Setenv("NO_COLOR", "1")
	env.Setenv("HOSTILE", hostile)
	var clones []string
	for n := range testrepo.Amount(6, 20) {
		clones = append(clones, fmt.Sprintf("%02d", n+1))
	}
	env.Setenv("CLONES", strings.Join(clones, " "))
	env.Values[bucketKey{}] = &bucketOf{}
	env.Values[ranKey{}] = map[string]bool{}
	env.Values[canariesKey{}] = &canaries{}
	env.Setenv("SESSION", "5e55104f-0000-4000-8000-000000000001")
	env.Setenv("TRANSCRIPT", filepath.Join(home, ".claude", "projects", "repo", "transcript.jsonl"))
	if err := os.MkdirAll(filepath.Dir(env.Getenv("TRANSCRIPT")), 0o755); err != nil {
		return err
	}
	return os.WriteFile(env.Getenv("TRANSCRIPT"), nil, 0o600)
}

// cmdExample builds or copies an example of a plug-in.
func cmdExample(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: example NAME")
	}
	programs := ts.MkAbs(filepath.Join(ts.Getenv("WORK"), "programs"))
	ts.Check(os.MkdirAll(programs, 0o755))
	dir := filepath.Join("..", "..", "examples", args[0])
	scripts, err := filepath.Glob(filepath.Join(dir, "entire-agent-*"))
	ts.Check(err)
	for _, script := range scripts {
		text, err := os.ReadFile(script)
		ts.Check(err)
		syscall.ForkLock.RLock() // as testrepo.WriteScript does
		err = os.WriteFile(filepath.Join(programs, filepath.Base(script)), text, 0o755)
		syscall.ForkLock.RUnlock()
		ts.Check(err)
	}
	if len(scripts) == 0 {
		cmd := exec.Command("go", "build", "-buildvcs=false", "-trimpath", "-o", filepath.Join(programs, "entire-agent-scribe"), "./"+filepath.ToSlash(dir))
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0") // as everything else is built
		if out, err := cmd.CombinedOutput(); err != nil {
			ts.Fatalf("go build: %v\n%s", err, out)
		}
	}
}

// withoutAgents removes the folders with the program of an agent from a PATH, so that `enable` finds none.
// It keeps those that git or a shell is in.
func withoutAgents(path string) string {
	has := func(dir, name string) bool {
		_, err := os.Stat(filepath.Join(dir, name))
		return err == nil
	}
	var kept []string
	for _, dir := range filepath.SplitList(path) {
		agent := false
		for _, ag := range agents.All() {
			for _, name := range ag.Profile().Programs {
				agent = agent || has(dir, name)
			}
		}
		if !agent || has(dir, "git") || has(dir, "sh") {
			kept = append(kept, dir)
		}
	}
	return strings.Join(kept, string(os.PathListSeparator))
}

func cmdPrompt(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: prompt TEXT")
	}
	runHook(ts, "user-prompt-submit", map[string]string{"prompt": args[0]})
	transcriptLine(ts, "user", map[string]any{"role": "user", "content": args[0]})
}

func cmdSays(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: says TEXT")
	}
	transcriptLine(ts, "assistant", map[string]any{"role": "assistant", "content": []any{map[string]any{"type": "text", "text": args[0]}}})
}

func cmdEdits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: edits FILE...")
	}
	for i, file := range args {
		transcriptLine(ts, "assistant", map[string]any{"role": "assistant", "content": []any{map[string]any{
			"type": "tool_use", "id": fmt.Sprintf("toolu_%d", i), "name": "Edit", "input": map[string]any{"file_path": ts.MkAbs(file)},
		}}})
	}
}

func cmdAnswer(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 0 {
		ts.Fatalf("usage: answer")
	}
	cmdSays(ts, false, []string{"Done."})
	runHook(ts, "stop", nil)
}

func cmdAgent(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: agent VERB [KEY=VALUE...]")
	}
	fields := map[string]string{}
	for _, arg := range args[1:] {
		key, value, _ := strings.Cut(arg, "=")
		fields[key] = value
	}
	runHook(ts, args[0], fields)
}

// Run calls a hook with a payload, as an agent does. A hook must not fail.
func runHook(ts *testscript.TestScript, verb string, fields map[string]string) {
	all := map[string]any{}
	for key, value := range fields {
		all[key] = value
	}
	runHookWith(ts, verb, all)
}

func runHookWith(ts *testscript.TestScript, verb string, fields map[string]any) {
	payload := map[string]any{
		"session_id": ts.Getenv("SESSION"), "transcript_path": ts.Getenv("TRANSCRIPT"), "cwd": ts.MkAbs("."),
		"hook_event_name": verb,
	}
	maps.Copy(payload, fields)
	data, err := json.Marshal(payload)
	ts.Check(err)
	file := filepath.Join(filepath.Dir(ts.Getenv("TRANSCRIPT")), "payload.json")
	ts.Check(os.WriteFile(file, data, 0o600))
	ts.Check(ts.Exec("sh", "-c", `entire hooks claude-code "$0" <"$1"`, verb, file))
}

func transcriptLine(ts *testscript.TestScript, kind string, message map[string]any) {
	path := ts.Getenv("TRANSCRIPT")
	before, err := os.ReadFile(path)
	ts.Check(err)
	n := strings.Count(string(before), "\n")
	kept, err := filepath.Glob(path + ".before-rewind-*")
	ts.Check(err)
	for _, name := range kept { // no name is given twice
		text, err := os.ReadFile(name)
		ts.Check(err)
		n += strings.Count(string(text), "\n")
	}
	message["id"] = fmt.Sprintf("msg_%d", n)
	line, err := json.Marshal(map[string]any{
		"type": kind, "uuid": fmt.Sprintf("00000000-0000-4000-8000-%012d", n), "sessionId": ts.Getenv("SESSION"),
		"timestamp": "2026-01-02T03:04:05.000Z", "message": message,
	})
	ts.Check(err)
	ts.Check(os.WriteFile(path, append(before, append(line, '\n')...), 0o600))
}

// cmdLacks looks into every file, so that a secret in an object, a log or a state
// file is found alike. Objects are looked at as git shows them.
func cmdLacks(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: lacks FILE TEXT")
	}
	ts.Check(filepath.WalkDir(ts.MkAbs(args[0]), func(path string, entry os.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		if strings.Contains(ts.ReadFile(path), args[1]) {
			ts.Fatalf("%s contains %q", path, args[1])
		}
		return nil
	}))
}

func cmdJSON(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: json PATH WANT")
	}
	out := ts.ReadFile("stdout")
	if !json.Valid([]byte(out)) {
		ts.Fatalf("not JSON: %s", out)
	}
	if got := jsonAt(out, args[0]); got != args[1] {
		ts.Fatalf("%s is %s, want %s in\n%s", args[0], got, args[1], out)
	}
}

// jsonAt is the value at a gjson path: a string as it is, anything else as JSON
// text without space, "absent" if there is nothing.
func jsonAt(text, path string) string {
	v := gjson.Get(text, path)
	if !v.Exists() {
		return "absent"
	}
	if v.IsObject() || v.IsArray() {
		return v.Get("@ugly").Raw
	}
	return v.String()
}
