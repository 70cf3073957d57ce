package main

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// The scripts of testdata/museum are losses that people reported in public trackers; testdata/museum/museum.md
// lists them. In each the agent works, what was reported happens, and everything comes back. They use, beside the
// commands of the rewind lessons (lessons_test.go):
//
//	start AGENT         a repository with Entire enabled for AGENT, in $WORK/repo; go there. AGENT is at work from now on
//	folder AGENT        a folder that is no repository, with Entire enabled for AGENT, in $WORK/repo
//	deaf                from now on no hook is called
//	by AGENT            another agent is, which was named to start, too
//	as NAME             from now on the agent's session is NAME's
//	prompt TEXT         a person submits a prompt
//	says TEXT           the agent says TEXT
//	reads FILE          the agent reads FILE with its tool
//	writes FILE TEXT    the agent writes FILE with its tool; TEXT may be @FILE, for that file's content
//	replaces FILE A B   the agent replaces A by B in FILE with its edit tool
//	types SCRIPT FILE.. a person changes FILEs, by a script, in an editor that keeps a history of them
//	[!] runs SCRIPT     the agent runs SCRIPT in its shell; ! is one that fails
//	told                do what the guard said before the last runs, to undo it
//	answer              the turn ends
//	turn TEXT SCRIPT    prompt TEXT, runs SCRIPT, answer
//	ends, resumes       the agent's program ends, or begins again with the session
//	keep                what there is now, below $WORK and in $TRANSCRIPT, shall come back
//	lost [PATH...]      it is not there any more: PATHs, or something
//	whole [PATH...]     it is there again, every byte, mode and link, and nothing else; PATHs do not matter
//	said [more]         the conversation is there again, every byte, followed by what was said since
//
// Hooks are called as the agent's settings say, by the lines that `entire enable` wrote there.
func TestMuseum(t *testing.T) {
	t.Parallel()
	testscript.Run(t, museumParams(&museum{}, filepath.Join(museumDir(), "*.txtar")))
}

func museumDir() string { return filepath.Join("..", "..", "testdata", "museum") }

// museumParams are those of the scripts that the pattern names.
func museumParams(m *museum, pattern string) testscript.Params {
	files, err := filepath.Glob(pattern)
	if err != nil {
		panic(err)
	}
	return testscript.Params{
		Files: files,
		Setup: func(env *testscript.Env) error {
			env.Values[lessonKey{}] = &lesson{}
			env.Values[visitKey{}] = &visit{museum: m, t: env.T().(testing.TB)}
			return setupScript(env)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"lacks": cmdLacks, "json": cmdJSON, "sh": lessonSh,
			"point": arity(lessonPoint, 2, 2), "saved": arity(lessonSaved, 1, 1), "hold": arity(lessonHold, 0, 0),
			"held": arity(lessonHeld, 0, 99), "back": arity(lessonBack, 2, 99),
			"start": arity(museumStart, 1, 9), "folder": arity(museumFolder, 1, 1), "deaf": arity(museumDeaf, 0, 0), "by": arity(museumBy, 1, 1), "as": arity(museumAs, 1, 1),
			"prompt": arity(museumPrompt, 1, 1), "says": arity(museumSays, 1, 1), "reads": arity(museumReads, 1, 1),
			"writes": arity(museumWrites, 2, 2), "replaces": arity(museumReplaces, 3, 3), "runs": museumRuns, "types": arity(museumTypes, 2, 99), "told": arity(museumTold, 0, 0),
			"answer": arity(museumAnswer, 0, 0), "turn": arity(museumTurn, 2, 2),
			"ends": arity(museumEnds, 0, 0), "resumes": arity(museumResumes, 0, 0),
			"keep": arity(museumKeep, 0, 0), "lost": arity(museumLost, 0, 99), "whole": arity(museumWhole, 0, 99), "said": arity(museumSaid, 0, 1),
		},
		RequireUniqueNames: true,
	}
}

// museum makes the repositories that scripts begin with.
type museum struct {
	late    bool // Entire is installed only after the loss
	figures figures
}

type visitKey struct{}

// visit is the state of one script.
type visit struct {
	museum  *museum
	t       testing.TB
	agent   *visitor
	hooks   map[string]map[string][]hookLine // by agent and event
	lines   int
	kept    map[string]string // by path below $WORK
	talk    string
	session string
	deaf    bool
	undo    []string                    // what the guard said
	said    int64                       // when the agent spoke last, in milliseconds
	parents map[string]any              // the last message of each session
	words   map[string][]map[string]any // the messages of a session that the agent itself does not keep in a file
}

func visitOf(ts *testscript.TestScript) *visit { return ts.Value(visitKey{}).(*visit) }

// exhibitFiles are what the repository has at the beginning.
func exhibitFiles() map[string]string {
	return map[string]string{
		"README.md": "# Shop\n\nSells books.\n", "app.py": verses("app"), "util.py": verses("util"), "src/cart.py": verses("cart"),
		"src/api/orders.py": verses("orders"), "docs/plan.md": verses("plan"), "run.sh": "#!/bin/sh\npython3 app.py\n",
		".gitignore": "out/\n.env\n*.log\nnode_modules/\n",
	}
}

// verses is a text of twenty lines; no line is part of another.
func verses(name string) string {
	var text strings.Builder
	for n := 1; n <= 20; n++ {
		fmt.Fprintf(&text, "%s line %02d\n", name, n)
	}
	return text.String()
}

func museumStart(ts *testscript.TestScript, names []string) {
	v := visitOf(ts)
	museumFiles(ts)
	ts.Check(ts.Exec("git", "init", "-q", "-b", "main"))
	for _, name := range names {
		if !v.museum.late {
			ts.Check(ts.Exec("entire", "enable", "--agent", name))
		}
	}
	ts.Check(ts.Exec("sh", "-e", "-c", "git add -A; git commit -qm 'The shop'"))
	v.learnHooks(ts, names)
}

func museumFolder(ts *testscript.TestScript, names []string) {
	museumFiles(ts)
	ts.Check(ts.Exec("entire", "enable", "--no-git", "--agent", names[0]))
	visitOf(ts).learnHooks(ts, names)
}

// museumFiles makes the folder and its files.
func museumFiles(ts *testscript.TestScript) {
	top := filepath.Join(ts.Getenv("WORK"), "repo")
	ts.Check(os.MkdirAll(top, 0o755))
	for path, text := range exhibitFiles() {
		ts.Check(os.MkdirAll(filepath.Dir(filepath.Join(top, path)), 0o755))
		ts.Check(os.WriteFile(filepath.Join(top, path), []byte(text), 0o644))
	}
	ts.Check(os.Chmod(filepath.Join(top, "run.sh"), 0o755))
	ts.Check(ts.Chdir(top))
}

// learnHooks reads the settings of the agents; the first one is at work.
func (v *visit) learnHooks(ts *testscript.TestScript, names []string) {
	v.hooks, v.words, v.parents = map[string]map[string][]hookLine{}, map[string][]map[string]any{}, map[string]any{}
	for _, name := range names {
		v.hooks[name] = map[string][]hookLine{}
		if a := visitors()[name]; a != nil && a.settings != "" && !v.museum.late {
			v.hooks[name] = readHooks(ts, ts.MkAbs(a.settings))
		}
	}
	museumBy(ts, names[:1])
}

func museumDeaf(ts *testscript.TestScript, _ []string) { visitOf(ts).deaf = true }

func museumBy(ts *testscript.TestScript, args []string) {
	v := visitOf(ts)
	v.agent = visitors()[args[0]]
	if v.agent == nil {
		ts.Fatalf("unknown agent %s", args[0])
	}
	museumAs(ts, []string{"first-" + args[0]})
}

func museumAs(ts *testscript.TestScript, args []string) {
	v := visitOf(ts)
	v.session = sessionNamed(args[0])
	if v.agent.name == "codex" { // its IDs tell a time
		v.session = "01a20edc-" + v.session[9:14] + "7" + v.session[15:]
	}
	ts.Setenv("SESSION", v.session)
	ts.Setenv("TRANSCRIPT", v.agent.transcript(ts, v))
}

func museumTurn(ts *testscript.TestScript, args []string) {
	museumPrompt(ts, args[:1])
	museumRuns(ts, false, args[1:])
	museumAnswer(ts, nil)
}

// museumKeep notes what shall come back.
func museumKeep(ts *testscript.TestScript, _ []string) {
	v := visitOf(ts)
	v.kept = belowWork(ts)
	text, err := os.ReadFile(ts.Getenv("TRANSCRIPT"))
	if err == nil {
		v.talk = string(text)
	}
}

func museumLost(ts *testscript.TestScript, paths []string) {
	v, is := visitOf(ts), belowWork(ts)
	if v.kept == nil {
		ts.Fatalf("nothing was kept")
	}
	for _, path := range paths {
		if was, known := v.kept[path]; !known && v.talk == "" || known && is[path] == was {
			ts.Fatalf("%s is not lost", path)
		}
	}
	if text, err := os.ReadFile(ts.Getenv("TRANSCRIPT")); len(paths) == 0 && maps.Equal(is, v.kept) && err == nil && string(text) == v.talk {
		ts.Fatalf("nothing is lost")
	}
	if v.museum.late {
		rescueAll(ts, v, is)
	}
}

func museumWhole(ts *testscript.TestScript, besides []string) {
	v, is := visitOf(ts), belowWork(ts)
	if v.kept == nil {
		ts.Fatalf("nothing was kept")
	}
	for _, path := range slices.Sorted(maps.Keys(v.kept)) {
		if is[path] != v.kept[path] && !slices.Contains(besides, path) {
			ts.Fatalf("%s was %.300q\nand is %.300q", path, v.kept[path], is[path])
		}
	}
	for _, path := range slices.Sorted(maps.Keys(is)) {
		if _, known := v.kept[path]; !known && !slices.Contains(besides, path) {
			ts.Fatalf("%s was not there", path)
		}
	}
}

func museumSaid(ts *testscript.TestScript, more []string) {
	v := visitOf(ts)
	if v.talk == "" {
		ts.Fatalf("no conversation was kept")
	}
	is := ts.ReadFile(ts.Getenv("TRANSCRIPT"))
	if len(more) == 1 && more[0] == "more" && strings.HasPrefix(is, v.talk) {
		return
	}
	if is != v.talk {
		ts.Fatalf("the conversation was %q\nand is %q", v.talk, is)
	}
}

// belowWork is every file below $WORK by its slash-separated path, with its mode and its bytes, but what git and
// Entire have of their own in the worktree, and what the script brought along.
func belowWork(ts *testscript.TestScript) map[string]string {
	out := map[string]string{}
	work := ts.Getenv("WORK")
	ts.Check(filepath.WalkDir(work, func(full string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(work, full)
		if err != nil {
			return err
		}
		path := filepath.ToSlash(rel)
		switch {
		case path == "repo/.git", entry.Name() == ".entire", path == ".tmp", path == "aside", entry.Name() == ".git" && !entry.IsDir():
			if entry.IsDir() {
				return fs.SkipDir
			}
			return nil
		case entry.IsDir(), !strings.Contains(path, "/"):
			return nil
		}
		fi, err := os.Lstat(full)
		if err != nil {
			return err
		}
		if fi.Mode()&fs.ModeSymlink != 0 {
			target, err := os.Readlink(full)
			out[path] = "link\x00" + target
			return err
		}
		data, err := os.ReadFile(full)
		out[path] = fmt.Sprintf("%s\x00%s", fi.Mode(), data)
		return err
	}))
	return out
}

// Every exhibit says where it was reported, and that is a public tracker's issue.
func TestExhibits(t *testing.T) {
	t.Parallel()
	reference := regexp.MustCompile(`^[A-Za-z0-9._-]+/[A-Za-z0-9._-]+#[0-9]+$`)
	titles := map[string]string{}
	for _, e := range exhibits(t) {
		if e.title == "" || e.agent == "" || e.lost == "" || len(e.reported) == 0 {
			t.Errorf("%s does not say its title, agent, what was lost, and where that was reported", e.file)
		}
		for _, r := range e.reported {
			if !reference.MatchString(r) {
				t.Errorf("%s: %q is no issue of a repository", e.file, r)
			}
		}
		if other := titles[e.title]; other != "" {
			t.Errorf("%s and %s have the same title", e.file, other)
		}
		titles[e.title] = e.file
	}
}
