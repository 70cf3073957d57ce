package main

import (
	"bytes"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/tidwall/gjson"

	"entire/internal/testrepo"
)

// The scripts of testdata/script/rewind are what rewinds of other tools have
// done to people, each passing here; docs/rewind-lessons.md lists them. They use,
// beside the commands of the other scripts:
//
//	start              a repository with Entire enabled, in $WORK/repo, and go there
//	as NAME            from now on the agent's session is NAME
//	sh SCRIPT          a shell script, by nobody in particular
//	turn PROMPT SCRIPT the agent gets a prompt, runs the script in its shell, and ends its turn
//	point VAR PROMPT   $VAR is the newest point of the turn of that prompt
//	saved VAR          $VAR is what the rewind that was just done saved first
//	hold               from now on nothing shall change
//	held [FILE...]     nothing has, but FILEs: every other file below $WORK/repo, ignored ones too, has its
//	                   bytes, mode and time; the index, HEAD, the stash and the config have their bytes
//	back TEXT FILE...  each FILE holds just the line TEXT
func TestRewindLessons(t *testing.T) {
	t.Parallel()
	template := scenarioTemplate(t)
	testscript.Run(t, testscript.Params{
		Dir: lessonsDir(),
		Setup: func(env *testscript.Env) error {
			env.Values[lessonKey{}] = &lesson{template: template}
			return setupScript(env)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"prompt": cmdPrompt, "says": cmdSays, "edits": cmdEdits, "answer": cmdAnswer, "agent": cmdAgent,
			"lacks": cmdLacks, "json": cmdJSON,
			"start": arity(lessonStart, 0, 0), "as": arity(lessonAs, 1, 1), "sh": lessonSh, "turn": arity(lessonTurn, 2, 2),
			"point": arity(lessonPoint, 2, 2), "saved": arity(lessonSaved, 1, 1), "hold": arity(lessonHold, 0, 0),
			"held": arity(lessonHeld, 0, 99), "back": arity(lessonBack, 2, 99),
		},
		RequireUniqueNames: true,
	})
}

func lessonsDir() string { return filepath.Join("..", "..", "testdata", "script", "rewind") }

type lessonKey struct{}

// lesson is the state of one script.
type lesson struct {
	template string
	held     map[string]string
}

func lessonStart(ts *testscript.TestScript, _ []string) {
	repo := filepath.Join(ts.Getenv("WORK"), "repo")
	ts.Check(testrepo.CopyTree(ts.Value(lessonKey{}).(*lesson).template, repo))
	ts.Check(ts.Chdir(repo))
}

func lessonAs(ts *testscript.TestScript, args []string) {
	path := filepath.Join(filepath.Dir(ts.Getenv("TRANSCRIPT")), args[0]+".jsonl")
	ts.Setenv("SESSION", args[0])
	ts.Setenv("TRANSCRIPT", path)
	if _, err := os.Lstat(path); err != nil {
		ts.Check(os.WriteFile(path, nil, 0o600))
	}
}

func lessonSh(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 1 {
		ts.Fatalf("usage: [!] sh SCRIPT")
	}
	if err := ts.Exec("sh", "-e", "-c", args[0]); (err != nil) != neg {
		ts.Fatalf("sh: %v", err)
	}
}

func lessonTurn(ts *testscript.TestScript, args []string) {
	cmdPrompt(ts, false, args[:1])
	lessonSh(ts, false, args[1:])
	cmdAnswer(ts, false, nil)
}

func lessonPoint(ts *testscript.TestScript, args []string) {
	ts.Check(ts.Exec("entire", "rewind", "--list"))
	for _, p := range gjson.Parse(ts.ReadFile("stdout")).Array() {
		if p.Get("message").String() == args[1] {
			ts.Setenv(args[0], p.Get("id").String())
			return
		}
	}
	ts.Fatalf("no point of %q in %s", args[1], ts.ReadFile("stdout"))
}

func lessonSaved(ts *testscript.TestScript, args []string) {
	_, rest, found := strings.Cut(ts.ReadFile("stdout"), "The present was saved as ")
	if !found {
		ts.Fatalf("nothing was saved")
	}
	id, _, _ := strings.Cut(rest, ".")
	ts.Setenv(args[0], id)
}

func lessonBack(ts *testscript.TestScript, args []string) {
	for _, file := range args[1:] {
		if got := ts.ReadFile(file); got != args[0]+"\n" {
			ts.Fatalf("%s holds %q", file, got)
		}
	}
}

func lessonHold(ts *testscript.TestScript, _ []string) {
	ts.Value(lessonKey{}).(*lesson).held = everything(ts)
}

func lessonHeld(ts *testscript.TestScript, args []string) {
	was, is := ts.Value(lessonKey{}).(*lesson).held, everything(ts)
	for _, path := range slices.Sorted(maps.Keys(was)) {
		if is[path] != was[path] && !slices.Contains(args, path) {
			ts.Fatalf("%s was %.300s\nand is %.300s", path, was[path], is[path])
		}
	}
	for _, path := range slices.Sorted(maps.Keys(is)) {
		if _, known := was[path]; !known && !slices.Contains(args, path) {
			ts.Fatalf("%s was not there", path)
		}
	}
	for _, path := range args {
		if was[path] == is[path] {
			ts.Fatalf("%s has not changed", path)
		}
	}
}

// everything is each file of the repository but what git and Entire have of
// their own, and of those what a rewind must leave alone.
func everything(ts *testscript.TestScript) map[string]string {
	out := map[string]string{}
	top := filepath.Join(ts.Getenv("WORK"), "repo")
	for _, name := range []string{"index", "HEAD", "config", "refs/stash", "logs/HEAD", "logs/refs/stash", "MERGE_HEAD"} {
		data, err := os.ReadFile(filepath.Join(top, ".git", name))
		out[".git/"+name] = fmt.Sprintf("%q %t", data, err == nil)
	}
	ts.Check(filepath.WalkDir(top, func(full string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		path, err := filepath.Rel(top, full)
		if err != nil {
			return err
		}
		if entry.IsDir() {
			if path == ".git" || path == ".entire" {
				return fs.SkipDir
			}
			return nil
		}
		out[path], err = whole(full)
		return err
	}))
	return out
}

// whole is all there is to say of a file.
func whole(full string) (string, error) {
	fi, err := os.Lstat(full)
	if err != nil {
		return "", err
	}
	text := fmt.Sprintf("%s %s ", fi.Mode(), fi.ModTime().Format(time.RFC3339Nano))
	switch {
	case fi.Mode()&fs.ModeSymlink != 0:
		target, err := os.Readlink(full)
		return text + target, err
	case !fi.Mode().IsRegular() || fi.Size() > 1<<20:
		return fmt.Sprint(text, fi.Size()), nil
	}
	data, err := os.ReadFile(full)
	return text + fmt.Sprintf("%q", data), err
}

// The list in docs/rewind-lessons.md and the scripts are of each other's.
func TestLessonsAreListed(t *testing.T) {
	t.Parallel()
	doc, err := os.ReadFile(filepath.Join("..", "..", "docs", "rewind-lessons.md"))
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(lessonsDir(), "*.txtar"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	for _, file := range files {
		if !bytes.Contains(doc, []byte("`"+filepath.Base(file)+"`")) {
			t.Errorf("the list lacks %s", filepath.Base(file))
		}
	}
	for _, word := range strings.Split(string(doc), "`") {
		if strings.HasSuffix(word, ".txtar") && !slices.ContainsFunc(files, func(f string) bool { return filepath.Base(f) == word }) {
			t.Errorf("the list names %s, which is not there", word)
		}
	}
}
