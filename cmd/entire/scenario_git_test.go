package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"

	"entire/internal/testrepo"
)

func cmdGit(ts *testscript.TestScript, neg bool, args []string) {
	of(ts).asPerson(ts, neg, append([]string{"git"}, args...)...)
}

func cmdSh(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 1 {
		ts.Fatalf("usage: [!] sh SCRIPT")
	}
	of(ts).asPerson(ts, neg, "sh", "-e", "-c", args[0])
}

func (sc *scenario) asPerson(ts *testscript.TestScript, neg bool, args ...string) {
	before := ts.Getenv("ENTIRE_TEST_TTY")
	if before == "0" {
		ts.Setenv("ENTIRE_TEST_TTY", "1")
	}
	sc.asGitDoes(ts, neg, args...)
	ts.Setenv("ENTIRE_TEST_TTY", before)
}

// editorScript is what "editor" can use. $f is the file to be edited.
const editorScript = `f=$1
cp "$f" "$SEEN"
type() { { printf '%s\n' "$1"; cat "$SEEN"; } >"$f"; }
strike() { grep -v -e "$1" "$SEEN" >"$f" || :; }
`

func cmdEditor(ts *testscript.TestScript, args []string) {
	file := filepath.Join(of(ts).home, "editor.sh")
	ts.Check(os.WriteFile(file, []byte(editorScript+args[0]+"\n"), 0o600))
	ts.Setenv("GIT_EDITOR", "sh '"+file+"'")
}

// runsHooks finds what makes git run hooks of ours.
var runsHooks = regexp.MustCompile(`\b(commit|merge|pull|rebase|cherry-pick|revert|am)\b`)

// asGitDoes runs a command without our hooks in a copy of the row, then for
// real, and compares. Where no hook can run there is nothing to compare.
func (sc *scenario) asGitDoes(ts *testscript.TestScript, neg bool, args ...string) {
	if !runsHooks.MatchString(strings.Join(args, " ")) {
		sc.run(ts, neg, args)
		return
	}
	aside := sc.root + ".aside"
	ts.Check(os.Rename(sc.root, aside))
	ts.Check(testrepo.CopyTree(aside, sc.root))
	ts.Setenv("GIT_CONFIG_COUNT", "1")
	ts.Setenv("GIT_CONFIG_KEY_0", "core.hooksPath")
	ts.Setenv("GIT_CONFIG_VALUE_0", "/dev/null")
	want := append(sc.run(ts, neg, args), sc.facts(ts)...)
	ts.Setenv("GIT_CONFIG_COUNT", "0")
	ts.Check(os.RemoveAll(sc.root))
	ts.Check(os.Rename(aside, sc.root))
	got := append(sc.run(ts, neg, args), sc.facts(ts)...)
	for i := range got {
		if got[i].text != want[i].text {
			ts.Fatalf("%q: %s not as git makes it, but %s", args, got[i].name, firstDifference(got[i].text, want[i].text))
		}
	}
}

// fact is something a person can see of a repository.
type fact struct{ name, text string }

func (sc *scenario) run(ts *testscript.TestScript, neg bool, args []string) []fact {
	err := ts.Exec(args[0], args[1:]...)
	if (err != nil) != neg {
		ts.Fatalf("%q: %v", args, err)
	}
	return []fact{
		{"standard output is", hexWord.ReplaceAllString(ts.ReadFile("stdout"), "H")},
		{"standard error is", hexWord.ReplaceAllString(ts.ReadFile("stderr"), "H")},
	}
}

var (
	hexWord     = regexp.MustCompile(`\b[0-9a-f]{7,40}\b|\d\d:\d\d:\d\d`)
	oidLine     = regexp.MustCompile(`(?m)^# branch\.oid .*\n`)
	ourTrailer  = regexp.MustCompile(`(?m)(^\r?\n)?^ *(?:Entire-Checkpoint: [0-9a-f]{12}|Assisted-by: claude-code:unknown)\r?\n`)
	blankAtEnd  = regexp.MustCompile(`(\s*\n)+\x00`)
	inOperation = []string{"MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "rebase-merge", "rebase-apply", "SQUASH_MSG", "index.lock", "HEAD.lock"}
)

// facts are HEAD's history, every ref that is not ours, the index, the files,
// and the operation that is under way.
func (sc *scenario) facts(ts *testscript.TestScript) []fact {
	history, _ := sc.try(ts, "log", "-n", "12", "--format=%T %an %ae %p%n%B%x00", "HEAD")
	var trees, refs strings.Builder
	for line := range strings.Lines(history) {
		if tree, _, ok := strings.Cut(line, " "+testrepo.UserName); ok {
			trees.WriteString(tree + "\n")
		}
	}
	history = hexWord.ReplaceAllString(ourTrailer.ReplaceAllString(history, ""), "H")
	for line := range strings.Lines(sc.out(ts, "for-each-ref", "--format=%(refname) %(tree)")) {
		if !strings.HasPrefix(line, "refs/heads/entire/") && !strings.HasPrefix(line, "refs/entire/") {
			refs.WriteString(line)
		}
	}
	status := sc.out(ts, "status", "--porcelain=v2", "--branch", "-uall", "--ignore-submodules=none")
	facts := []fact{
		{"the trees are", trees.String()}, {"the messages are", blankAtEnd.ReplaceAllString(history, "\x00")}, {"the refs are", refs.String()},
		{"the index is", oidLine.ReplaceAllString(status, "")}, {"the files are", sc.files(ts)},
	}
	var under []string
	for _, name := range inOperation {
		if _, err := os.Lstat(filepath.Join(sc.gitDir(ts), name)); err == nil {
			under = append(under, name)
		}
	}
	return append(facts, fact{"the operation under way is", strings.Join(under, " ")})
}

// files are the modes and contents of everything outside git's own folders.
func (sc *scenario) files(ts *testscript.TestScript) string {
	var out strings.Builder
	ts.Check(filepath.WalkDir(sc.root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(sc.root, path)
		if entry.IsDir() && (strings.HasSuffix(rel, ".git") || strings.Contains(rel, ".entire/")) {
			return fs.SkipDir
		}
		fi, err := entry.Info()
		if err != nil {
			return err
		}
		out.WriteString(fi.Mode().String() + " " + rel + "\n")
		if entry.Type().IsRegular() {
			data, err := os.ReadFile(path)
			out.Write(data)
			return err
		}
		if target, err := os.Readlink(path); err == nil {
			out.WriteString(target + "\n")
		}
		return nil
	}))
	return out.String()
}
