package attribsuite

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"entire/internal/histories"
)

// play does one statement of the notation; testdata/README.md lists them.
func (w *world) play(statement string) {
	verb, rest, _ := strings.Cut(statement, " ")
	switch verb {
	case "begin": // three old lines, and the tool after them
		for _, s := range []string{"p f.txt = o1 o2 o3", "commit before the tool", "enable", "commit enable"} {
			w.play(s)
		}
	case "work": // a line of a person's, two of the agent's
		for _, s := range []string{"p f.txt = o1 p1 o2 o3", "A prompt", "A f.txt = o1 p1 A1 A2 o2 o3", "A stop", "commit work"} {
			w.play(s)
		}
	case "work2": // the same beside another line of a person's
		for _, s := range []string{"p f.txt = o1 p1 o2 p9 o3", "A prompt", "A f.txt = o1 p1 A1 A2 o2 p9 o3", "A stop", "commit work"} {
			w.play(s)
		}
	case "results": // of all sessions show what their calls added
		w.results = true
	case "minutes": // pass between two commands
		w.clock = time.Now().Add(-24 * time.Hour)
		w.tick()
	case "enable":
		w.enable(fields(rest)...)
	case "commit":
		w.commit(strings.Trim(rest, "'"))
	case "linked":
		w.commit(strings.Trim(rest, "'"))
		if w.trailer() == "" {
			histories.Fail("commit", "%s", "it is not linked")
		}
	case "unlinked":
		w.unlinked(strings.Trim(rest, "'"))
	case "$":
		w.shell(rest, false)
	case "!":
		w.shell(rest, true)
	case "~": // may fail: in random histories
		w.tick()
		w.last = w.run("", "sh", "-c", rest)
	case "clone":
		w.clone(fields(rest))
	case "in":
		w.Repo = w.Repo.In(rest)
	case "rewind":
		w.rewind(rest)
	case "check":
		w.check(rest)
	case "owners":
		w.ownersAre(rest)
	default:
		w.act(verb, rest)
	}
}

// act is what the person or an agent does.
func (w *world) act(who, what string) {
	if who != "p" && (len(who) != 1 || who < "A" || who > "Z") {
		histories.Fail("notation", "%s", who+" "+what)
	}
	verb, rest, _ := strings.Cut(what, " ")
	if both, is := strings.CutPrefix(what, "moves "); is && who == "p" {
		for part := range strings.SplitSeq(both, " & ") {
			w.act(who, part)
		}
		return
	}
	if left, right, is := strings.Cut(what, " = "); is || strings.HasSuffix(what, " =") {
		if !is {
			left, right = strings.TrimSuffix(what, " ="), ""
		}
		if w.strict {
			w.mayWrite(who, expand(right))
		}
		w.writes(who, fields(left), render(expand(right), flagsOf(left)))
		return
	}
	if who == "p" {
		w.moves(verb, fields(rest))
		return
	}
	k := w.talk(who)
	if w.strict && !k.Open && verb != "prompt" && verb != "end" && verb != "holds" {
		histories.Fail("notation", "%s", who+" is in no turn")
	}
	switch verb {
	case "prompt":
		k.Prompt(rest)
	case "holds":
		k.Holds = true
	case "stop":
		k.Stop()
	case "end":
		k.End()
	case "commit":
		k.Shell("git commit", func() { w.commit(rest) })
	case "tool":
		name, input, _ := strings.Cut(rest, " ")
		k.Tool(name, input)
	case "task":
		name, input, _ := strings.Cut(rest, " ")
		w.results = true
		k.Task(name, input, func() {})
	case "$":
		k.Shell(rest, func() { w.shell(rest, false) })
	case "~":
		k.Shell(rest, func() { w.tick(); w.last = w.run("", "sh", "-c", rest) })
	default:
		k.Shell(what, func() { w.moves(verb, fields(rest)) })
	}
}

// mayWrite refuses lines of others that are in no file.
func (w *world) mayWrite(who string, lines []token) {
	if k := w.talks[who]; who != "p" && (k == nil || !k.Open) {
		histories.Fail("notation", "%s", who+" is in no turn")
	}
	there := map[string]bool{}
	have := func(text string) {
		for line := range strings.Lines(text) {
			there[strings.TrimSpace(line)] = true
		}
	}
	for _, path := range w.files() {
		have(w.Read(path))
	}
	if who == "p" { // who settles a conflict takes lines of the versions that git has
		for entry := range strings.Lines(w.run("", "git", "ls-files", "-u").out) {
			have(w.run("", "git", "cat-file", "blob", strings.Fields(entry)[1]).out)
		}
	}
	for _, k := range lines {
		by, _ := marked(k.text())
		if by == "" || by == who {
			continue
		}
		if !there[strings.TrimSpace(k.text())] && (by != "?" || w.enabled) {
			histories.Fail("notation", "%s", string(k)+" is not there")
		}
	}
}

// flagsOf are those in brackets after a path.
func flagsOf(left string) string {
	_, flags, _ := strings.Cut(left, "[")
	return flags
}

// writes gives a file a text: as a person, or by one of an agent's tools.
func (w *world) writes(who string, left []string, text string) {
	how := "edit"
	if len(left) > 1 && (left[0] == "refused" || left[0] == "write" || left[0] == "sh" || left[0] == "edit" || left[0] == "notebook" || left[0] == "task") {
		how, left = left[0], left[1:]
	}
	commits := how == "task" && len(left) > 1 && left[0] == "commits"
	if commits {
		left = left[1:]
	}
	path, _, _ := strings.Cut(left[0], "[")
	path = unquoted(path)
	switch {
	case who == "p":
		w.Write(path, text)
	case how == "refused":
		w.talk(who).Refused(path, w.was(path), text)
	case how == "write":
		w.put(w.talk(who), path, text)
	case how == "notebook":
		w.talk(who).Notebook(path, text, func(text string) { w.Write(path, text) })
	case how == "task":
		w.results = true
		w.talk(who).TaskEdit(path, w.was(path), text, func() {
			if w.Write(path, text); commits {
				w.commit("by the subagent")
			}
		})
	case how == "sh":
		w.talk(who).Shell("make "+path, func() { w.Write(path, text) })
	default:
		w.edit(w.talk(who), path, text)
	}
}

func unquoted(path string) string {
	if strings.HasPrefix(path, `"`) {
		return token(path).text()
	}
	return path
}

// moves are the changes of a person, or an agent's shell, that write no lines.
func (w *world) moves(verb string, args []string) {
	for i := range args {
		args[i] = unquoted(args[i])
	}
	var err error
	switch verb {
	case "rm":
		err = os.RemoveAll(w.Path(args[0]))
	case "mv":
		if err = os.MkdirAll(filepath.Dir(w.Path(args[1])), 0o755); err == nil {
			err = os.Rename(w.Path(args[0]), w.Path(args[1]))
		}
	case "cp":
		w.Write(args[1], w.Read(args[0]))
	case "mode":
		err = os.Chmod(w.Path(args[0]), map[string]os.FileMode{"755": 0o755, "644": 0o644}[args[1]])
	case "link":
		_ = os.Remove(w.Path(args[0]))
		err = os.Symlink(args[1], w.Path(args[0]))
	case "binary": // with text in it
		w.Write(args[0], "\x00\x01"+render(expand(strings.Join(args[1:], " ")), ""))
	case "rewrites": // by a formatter: path, from, to
		w.Write(args[0], strings.ReplaceAll(w.Read(args[0]), args[1], args[2]))
	default:
		err = fmt.Errorf("no such verb")
	}
	if err != nil {
		histories.Fail("notation", "%s %v: %v", verb, args, err)
	}
}

// commit commits all there is.
func (w *world) commit(message string) {
	w.tick()
	for _, args := range [][]string{{"add", "-A"}, {"commit", "-q", "-m", message}} {
		if r := w.run("", "git", args...); r.code != nil {
			histories.Fail("commit", "%v %s%s", r.code, r.out, r.err)
		}
	}
}

// unlinked is a commit of all there is, or for "-" of what is staged, by an editor, which
// has no terminal: no session's work may be in it.
func (w *world) unlinked(message string) {
	if message != "-" {
		w.shell("git add -A", false)
	}
	w.AsAgent(func() { w.shell("git commit -q -m '"+message+"'", false) })
	if named := w.trailer(); named != "" {
		histories.Fail("commit", "%s", "it is linked to "+named)
	}
}

// trailer is what HEAD names.
func (w *world) trailer() string {
	return strings.TrimSpace(w.run("", "git", "log", "-1", "--format=%(trailers:key=Entire-Checkpoint,valueonly)").out)
}

// clone goes on in a clone: "with" or "without" the checkpoints fetched.
func (w *world) clone(args []string) {
	w.Repo = w.Repo.Clone()
	if args[0] == "with" {
		w.shell("git fetch -q origin entire/checkpoints/v1:refs/remotes/origin/entire/checkpoints/v1", false)
		return
	}
	w.shell("git for-each-ref --format='delete %(refname)' 'refs/remotes/origin/entire/**' | git update-ref --stdin", false)
}
