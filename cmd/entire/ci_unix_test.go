//go:build unix

package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"entire/internal/forge/forgetest"
)

// TestCI runs the scripts of the templates below ci/ as their runners do: the steps are read from the YAML,
// and sh runs them with a real clone, this program, and a server that stands in for the forge. Beside the
// commands of TestScripts, a script uses:
//
//	job github|gitlab     runs the job; its output is job.log, and its exit status in the file status
//	commands              prints what GitHub's runner would take for a command in job.log
//	comments              prints the comments at the pull request
//	somebody TEXT         somebody else comments
//	value NAME CMD...     sets a variable to what a command prints
//	sent                  prints the requests that write, with HASH for each hash
//
// $FORGE is the server's address. `go test ./cmd/entire -run TestCI -args write-ci` writes the requests into
// the scripts.
func TestCI(t *testing.T) {
	t.Parallel()
	testscript.Run(t, testscript.Params{
		Dir: filepath.Join("..", "..", "testdata", "ci"),
		Setup: func(env *testscript.Env) error {
			if err := setupScript(env); err != nil {
				return err
			}
			server := forgetest.New(env.T().(testing.TB))
			env.Values[forgeKey{}] = server
			env.Setenv("FORGE", server.URL)
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"prompt": cmdPrompt, "says": cmdSays, "edits": cmdEdits, "answer": cmdAnswer, "json": cmdJSON,
			"job": cmdJob, "commands": cmdCommands, "comments": cmdComments, "somebody": cmdSomebody, "value": cmdValue, "sent": cmdSent,
		},
		RequireUniqueNames: true,
		UpdateScripts:      slices.Contains(flag.Args(), "write-ci"),
	})
}

type forgeKey struct{}

func forgeOf(ts *testscript.TestScript) *forgetest.Server {
	return ts.Value(forgeKey{}).(*forgetest.Server)
}

// A ciStep is a step of a template: its script, and the variables that it sets from expressions.
type ciStep struct {
	id, script string
	env        [][2]string
}

// readSteps returns the steps of GitHub's composite action, or the one of GitLab's job, in the few forms of
// YAML that they use.
func readSteps(text string) (steps []ciStep) {
	lines := strings.Split(text, "\n")
	indent := func(s string) int { return len(s) - len(strings.TrimLeft(s, " ")) }
	for i := 0; i < len(lines); i++ {
		line := strings.TrimSpace(lines[i])
		last := len(steps) - 1
		switch key, value, _ := strings.Cut(line, ": "); {
		case strings.HasPrefix(lines[i], "    - name: "):
			steps = append(steps, ciStep{})
		case strings.HasPrefix(lines[i], "  script:"):
			steps = append(steps, ciStep{})
		case last < 0:
		case key == "id":
			steps[last].id = value
		case line == "env:":
			for i+1 < len(lines) && indent(lines[i+1]) > indent(lines[i]) {
				for j := i + 1; j < len(lines) && indent(lines[j]) > indent(lines[i]); j++ {
					name, expression, _ := strings.Cut(strings.TrimSpace(lines[j]), ": ")
					steps[last].env = append(steps[last].env, [2]string{name, expression})
				}
				break
			}
		case line == "run: |", line == "- |":
			base := indent(lines[i]) + 2
			for i+1 < len(lines) && (strings.TrimSpace(lines[i+1]) == "" || indent(lines[i+1]) >= base) {
				i++
				steps[last].script += strings.TrimPrefix(lines[i], strings.Repeat(" ", base)) + "\n"
			}
		}
	}
	return steps
}

// cmdJob runs the steps of a template one after the other, until one fails.
func cmdJob(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: job github|gitlab")
	}
	file := map[string]string{"github": "github/action.yml", "gitlab": "gitlab/entire.yml"}[args[0]]
	text, err := os.ReadFile(filepath.Join("..", "..", "ci", file))
	ts.Check(err)
	steps := readSteps(string(text))
	if len(steps) == 0 || args[0] == "github" && len(steps) != 5 {
		ts.Fatalf("%d steps in %s", len(steps), file)
	}
	work := ts.Getenv("WORK")
	outputs := map[string]string{}
	log, status := "", "0"
	for i, s := range steps {
		output := filepath.Join(work, fmt.Sprintf("output-%d", i))
		ts.Check(os.WriteFile(output, nil, 0o600))
		script := filepath.Join(work, fmt.Sprintf("step-%d.sh", i))
		var b strings.Builder
		b.WriteString("export GITHUB_OUTPUT=" + output + "\n")
		for _, kv := range s.env {
			fmt.Fprintf(&b, "export %s='%s'\n", kv[0], strings.ReplaceAll(evaluate(ts, kv[1], outputs), "'", `'\''`))
		}
		ts.Check(os.WriteFile(script, []byte(b.String()+s.script), 0o600))
		ts.Check(ts.Exec("sh", "-c", `sh -e "$0" >"$1" 2>&1; echo $? >"$2"`, script, script+".log", script+".status"))
		log += ts.ReadFile(script + ".log")
		for line := range strings.Lines(ts.ReadFile(output)) {
			name, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "=")
			outputs["steps."+s.id+".outputs."+name] = value
		}
		if status = strings.TrimSpace(ts.ReadFile(script + ".status")); status != "0" {
			break
		}
	}
	ts.Logf("%s", log)
	ts.Check(os.WriteFile(filepath.Join(work, "job.log"), []byte(log), 0o600))
	ts.Check(os.WriteFile(filepath.Join(work, "status"), []byte(status+"\n"), 0o600))
}

var expression = regexp.MustCompile(`^\$\{\{ (\S+) \}\}$`)

// evaluate returns the value of an expression: an output of a step, or the script's variable of that name in
// capital letters with underscores.
func evaluate(ts *testscript.TestScript, text string, outputs map[string]string) string {
	m := expression.FindStringSubmatch(text)
	if m == nil {
		ts.Fatalf("not an expression: %s", text)
	}
	if strings.HasPrefix(m[1], "steps.") {
		return outputs[m[1]]
	}
	return ts.Getenv(strings.ToUpper(strings.NewReplacer(".", "_", "-", "_").Replace(m[1])))
}

var oldCommand = regexp.MustCompile(`##\[[a-z-]+[ \]]`)

// cmdCommands prints the lines of job.log that GitHub's runner would take for commands, in its two forms.
func cmdCommands(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 0 {
		ts.Fatalf("usage: commands")
	}
	stop := ""
	for line := range strings.Lines(ts.ReadFile(filepath.Join(ts.Getenv("WORK"), "job.log"))) {
		line = strings.TrimSpace(line)
		switch {
		case stop != "":
			if line == "::"+stop+"::" {
				stop = ""
			}
		case strings.HasPrefix(line, "::stop-commands::"):
			stop = strings.TrimPrefix(line, "::stop-commands::")
		case strings.HasPrefix(line, "::"), oldCommand.MatchString(line):
			fmt.Fprintln(ts.Stdout(), line)
		}
	}
	if stop != "" {
		ts.Fatalf("the commands stay stopped")
	}
}

func cmdComments(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 0 {
		ts.Fatalf("usage: comments")
	}
	for _, c := range forgeOf(ts).Comments() {
		fmt.Fprintf(ts.Stdout(), "== user %d\n%s\n", c.User, c.Body)
	}
}

func cmdSomebody(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: somebody TEXT")
	}
	forgeOf(ts).Add(forgetest.Comment{User: 9, Body: args[0]})
}

func cmdValue(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: value NAME CMD...")
	}
	ts.Check(ts.Exec(args[1], args[2:]...))
	ts.Setenv(args[0], strings.TrimSpace(ts.ReadFile("stdout")))
}

var hashes = regexp.MustCompile(`[0-9a-f]{40}|\b[0-9a-f]{7}\b`)

// cmdSent prints the requests that were to write.
func cmdSent(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 0 {
		ts.Fatalf("usage: sent")
	}
	var b strings.Builder
	for _, r := range forgeOf(ts).Writes() {
		var body any
		ts.Check(json.Unmarshal([]byte(r.Body), &body))
		text, err := json.MarshalIndent(body, "", " ")
		ts.Check(err)
		plain := strings.NewReplacer(`\u003c`, "<", `\u003e`, ">", `\u0026`, "&").Replace(string(text))
		fmt.Fprintf(&b, "%s %s\n%s\n", r.Method, r.Path, strings.ReplaceAll(plain, `\n`, "\n"))
	}
	fmt.Fprint(ts.Stdout(), hashes.ReplaceAllString(b.String(), "HASH"))
}
