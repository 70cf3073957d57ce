package main

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"entire/internal/testrepo"
)

// The scripts of testdata/script/commit are the rows of docs/scenarios.md. Each
// begins in a repository of its own, in which Entire is enabled, and uses, beside
// the commands of the other scripts:
//
//	row NAME                 begins a row of the table; the folder is $ROW/repo
//	turn S PROMPT SCRIPT     session S gets a prompt, runs the shell script, and ends its turn
//	begin S PROMPT           only the prompt
//	shell S SCRIPT           the agent runs the script by its shell tool
//	edit S FILE SCRIPT       the agent changes FILE, by a script, with its edit tool
//	end S                    the turn ends
//	event S VERB [K=V]       any other hook of the agent's
//	git ARGS                 a person runs git, at a terminal
//	sh SCRIPT                a person runs a shell script there
//	editor SCRIPT            the editor from now on: "type TEXT" writes above what is there,
//	                         "strike TEXT" takes out lines; the file it was given is $SEEN
//
// $NL is a line's end. Every git command of a person's, and of an agent's in a shell, is run twice:
// first in a copy, without our hooks. Afterwards both must agree about HEAD, refs,
// the index, every file, the messages but for our trailers, what was printed, and
// the operation that is under way. No hook of an agent may touch index or HEAD.
//
//	linked COMMIT S:FILE,FILE... [+ S:FILE...]
//	                         git finds one trailer (and one for each +); its checkpoint is stored,
//	                         whole, for just these sessions, with just these files
//	unlinked COMMIT          the message does not mention a checkpoint
//	checkpoint VAR COMMIT    $VAR is the commit's checkpoint
//	trailers COMMIT ID...    the commit has just these checkpoints, in this order
//	talk COMMIT S TEXT       the stored transcript of S holds TEXT
//	pending S FILE...|none   what S has touched and no checkpoint has
//	phase S PHASE            active, idle or ended
//	branches N               so many shadow branches are there
//	stored N                 so many checkpoints are on the metadata branch
//	problem REGEXP           status names such a problem
//	settled N [K]            nothing is left over: N checkpoints, no shadow branch, no other ref of
//	                         ours but K for work thrown away, no pending file, no problem, and
//	                         git fsck is content
func TestScenarios(t *testing.T) {
	t.Parallel()
	template := scenarioTemplate(t)
	testscript.Run(t, testscript.Params{
		Dir: scenarioDir(),
		Setup: func(env *testscript.Env) error {
			home := testrepo.NewHome(env.T().(testing.TB))
			sc := &scenario{template: template, home: home, environ: append(testrepo.Environ(home), "ENTIRE_TEST_TTY=0")}
			env.Values[scenarioKey{}] = sc
			for _, kv := range sc.environ {
				if name, value, _ := strings.Cut(kv, "="); name != "PATH" && !strings.HasPrefix(name, "TMP") {
					env.Setenv(name, value)
				}
			}
			env.Setenv("NO_COLOR", "1")
			env.Setenv("NL", "\n")
			env.Setenv("SEEN", filepath.Join(home, "seen"))
			return nil
		},
		Cmds:               scenarioCommands(),
		RequireUniqueNames: true,
	})
}

func scenarioDir() string { return filepath.Join("..", "..", "testdata", "script", "commit") }

type scenarioKey struct{}

// scenario is the row that a script has come to.
type scenario struct {
	template, home string
	environ        []string
	rows           int
	root           string // the row's folder, which holds the repository
	lines          int    // of transcripts, for their IDs
}

func of(ts *testscript.TestScript) *scenario {
	return ts.Value(scenarioKey{}).(*scenario)
}

func scenarioCommands() map[string]func(*testscript.TestScript, bool, []string) {
	return map[string]func(*testscript.TestScript, bool, []string){
		"row": arity(cmdRow, 1, 1), "turn": arity(cmdTurn, 3, 3), "begin": arity(cmdBegin, 2, 2),
		"shell": cmdShell, "edit": arity(cmdEdit, 3, 3), "end": arity(cmdEnd, 1, 1), "event": arity(cmdEvent, 2, 9),
		"git": cmdGit, "sh": cmdSh, "editor": arity(cmdEditor, 1, 1),
		"linked": arity(cmdLinked, 2, 20), "unlinked": arity(cmdUnlinked, 1, 1), "checkpoint": arity(cmdCheckpoint, 2, 2),
		"trailers": arity(cmdTrailers, 2, 20), "talk": cmdTalk, "pending": arity(cmdPending, 2, 20),
		"phase": arity(cmdPhase, 2, 2), "branches": arity(cmdBranches, 1, 1), "stored": arity(cmdStored, 1, 1),
		"problem": arity(cmdProblem, 1, 1), "settled": arity(cmdSettled, 1, 2), "json": cmdJSON,
	}
}

// arity makes a command of one that cannot be negated and takes so many arguments.
func arity(run func(*testscript.TestScript, []string), least, most int) func(*testscript.TestScript, bool, []string) {
	return func(ts *testscript.TestScript, neg bool, args []string) {
		if neg || len(args) < least || len(args) > most {
			ts.Fatalf("used wrongly, see scenario_test.go: takes %d to %d arguments and no !, got %q", least, most, args)
		}
		run(ts, args)
	}
}

// scenarioTemplate is a repository with Entire enabled, to be copied.
func scenarioTemplate(t *testing.T) string {
	t.Helper()
	r := testrepo.New(t, testrepo.Files(map[string]string{
		"a.txt": numbered("a"), "b.txt": numbered("b"), "old.txt": "very old\n", "run.sh": "#!/bin/sh\n", "dir/c.txt": numbered("c"),
	}))
	cmd := exec.Command("entire", "enable", "--agent", "claude-code")
	// Where binaries below TMPDIR are, no hook remembers them.
	cmd.Dir, cmd.Env = r.Dir, append(r.Env, "ENTIRE_TEST_TTY=0", "TMPDIR="+t.TempDir())
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("entire enable: %v\n%s", err, out)
	}
	r.Commit("use entire")
	r.Write("old.txt", "old\n") // so that HEAD~ has Entire enabled, too
	r.Commit("third")
	return r.Dir
}

// numbered is a text of twenty lines.
func numbered(name string) string {
	var text strings.Builder
	for n := 1; n <= 20; n++ {
		fmt.Fprintf(&text, "%s%d\n", name, n)
	}
	return text.String()
}

func cmdRow(ts *testscript.TestScript, args []string) {
	sc := of(ts)
	sc.rows++
	sc.root = filepath.Join(ts.Getenv("WORK"), fmt.Sprintf("row%d", sc.rows))
	ts.Setenv("ROW", sc.root)
	ts.Setenv("GIT_EDITOR", "true")
	ts.Check(testrepo.CopyTree(sc.template, filepath.Join(sc.root, "repo")))
	ts.Check(ts.Chdir(filepath.Join(sc.root, "repo")))
}
