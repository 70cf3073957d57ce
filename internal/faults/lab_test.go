//go:build unix

package faults

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"entire/internal/testrepo"
)

// lab is a repository with the history that a rewind goes back in. Everything of
// it lies below one folder, which is put back before every experiment.
type lab struct {
	t        *testing.T
	root     string // repository and home
	pristine string // a copy
	repo     string
	env      []string
	point    string // to go back to
	before   world  // the present
	after    world  // what the files were at the point, with what is kept of the present
	talk     string // the transcript's path
	spoken   string // and its whole text
	lines    int
}

const session = "11111111-1111-4222-8333-444444444444"

func newLab(t *testing.T, parent string) *lab {
	t.Helper()
	l := &lab{t: t, root: filepath.Join(parent, "live"), pristine: filepath.Join(parent, "pristine")}
	home := filepath.Join(l.root, "home")
	l.repo = filepath.Join(l.root, "repo")
	for _, dir := range []string{home, l.repo, filepath.Join(l.root, "data")} {
		l.ok(os.MkdirAll(dir, 0o755))
	}
	l.ok(os.WriteFile(filepath.Join(home, ".gitconfig"), []byte("[user]\n name = P\n email = p@example.com\n[init]\n defaultBranch = main\n[gc]\n auto = 0\n[maintenance]\n auto = false\n"), 0o644))
	l.env = append(testrepo.Environ(home), "XDG_DATA_HOME="+filepath.Join(l.root, "data"), "GOMAXPROCS=2")
	l.talk = filepath.Join(home, ".claude/projects/p", session+".jsonl")
	l.ok(os.MkdirAll(filepath.Dir(l.talk), 0o755))
	l.history()
	l.copy(l.root, l.pristine)
	l.before = l.look()
	return l
}

// history makes a merge under way, a staged file, one that is only intended to be
// added, ignored files and a repository inside; then two turns of an agent, and a
// person's work after them.
func (l *lab) history() {
	l.git("init", "-q")
	l.write(".gitattributes", "*.crlf text eol=crlf\n")
	l.write(".gitignore", "*.o\nout/\n")
	for _, name := range []string{"a.txt", "b.txt", "dir/one", "dir/two", "swap", "keep/1", "keep/2", "keep/3", "merge.txt", "c.crlf"} {
		l.write(name, name+"\n")
	}
	l.write("run.sh", "#!/bin/sh\n")
	l.ok(os.Chmod(l.path("run.sh"), 0o755))
	l.ok(os.Symlink("b.txt", l.path("link")))
	l.entire("enable", "--agent", "claude-code", "--telemetry=false")
	l.git("add", "-A")
	l.git("-c", "core.hooksPath=/dev/null", "commit", "-q", "-m", "base")
	l.git("switch", "-q", "-c", "side")
	l.write("merge.txt", "theirs\n")
	l.git("-c", "core.hooksPath=/dev/null", "commit", "-qam", "theirs")
	l.git("switch", "-q", "main")
	l.write("merge.txt", "ours\n")
	l.git("-c", "core.hooksPath=/dev/null", "commit", "-qam", "ours")
	l.write("stashed.txt", "in the stash\n")
	l.git("stash", "push", "-q", "-u")
	if exec.Command("git", "-C", l.repo, "merge", "-q", "side").Run() == nil {
		l.t.Fatal("the merge should conflict")
	}
	l.write("staged.txt", "staged\n")
	l.git("add", "staged.txt")
	l.write("staged.txt", "and edited\n")
	l.write("intent.txt", "later\n")
	l.git("add", "-N", "intent.txt")
	l.write("out/build.o", "built\n")
	l.ok(os.MkdirAll(l.path("nested"), 0o755))
	l.ok(exec.Command("git", "init", "-q", l.path("nested")).Run())
	l.write("nested/inside", "somebody's\n")
	l.hook("session-start", map[string]any{"source": "startup"})

	l.turn("first", func() {
		l.write("a.txt", "first\n")
		l.write("new.txt", "new\n")
		l.write("private.txt", "first\n")
		l.ok(os.Chmod(l.path("private.txt"), 0o600))
		l.write("c.crlf", "first\r\nline\r\n")
		l.write("gone/deep/file.txt", strings.Repeat("deep\n", 2000))
	})
	l.after = l.look()
	l.write("b.txt", "a person's\n")
	l.turn("second", func() {
		l.write("a.txt", "second\n")
		l.write("private.txt", "second\n")
		l.write("c.crlf", "second\r\n")
		l.ok(os.Remove(l.path("new.txt")))
		l.ok(os.Remove(l.path("dir/two")))
		l.ok(os.Remove(l.path("swap")))
		l.write("swap/in", "below\n")
		l.ok(os.Remove(l.path("link")))
		l.ok(os.Symlink("/etc/hostname", l.path("link")))
		l.ok(os.Chmod(l.path("run.sh"), 0o644))
		l.ok(os.RemoveAll(l.path("gone")))
		l.write("made/x/y.txt", "made\n")
		l.ok(os.Chmod(l.path("made"), 0o750))
	})
	l.write("notes.txt", "a person's, in no step yet\n")
	l.ok(os.Remove(l.path("dir/one")))
	l.ok(os.Remove(l.path("dir")))
	l.write("dir", "a file now\n")
	l.ok(os.Chtimes(l.path("notes.txt"), time.Time{}, time.Now().Add(-time.Hour)))
	var points []struct{ ID, Message string }
	l.ok(json.Unmarshal([]byte(l.entire("rewind", "--list")), &points))
	for _, p := range points {
		if strings.EqualFold(p.Message, "first") {
			l.point = p.ID
		}
	}
	if l.point == "" {
		l.t.Fatalf("no point of the first turn: %v", points)
	}
	data, err := os.ReadFile(l.talk)
	l.ok(err)
	l.spoken = string(data)
}

func (l *lab) ok(err error) {
	l.t.Helper()
	if err != nil {
		l.t.Fatal(err)
	}
}

func (l *lab) path(p string) string { return filepath.Join(l.repo, filepath.FromSlash(p)) }

func (l *lab) write(path, content string) {
	l.t.Helper()
	l.ok(os.MkdirAll(filepath.Dir(l.path(path)), 0o755))
	l.ok(os.WriteFile(l.path(path), []byte(content), 0o644))
}

func (l *lab) command(name string, args ...string) *exec.Cmd {
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Env = l.repo, l.env
	return cmd
}

func (l *lab) git(args ...string) string { return l.run("git", args...) }

func (l *lab) entire(args ...string) string { return l.run(binary, args...) }

func (l *lab) run(name string, args ...string) string {
	l.t.Helper()
	cmd := l.command(name, args...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		l.t.Fatalf("%s %s: %v\n%s%s", filepath.Base(name), strings.Join(args, " "), err, out, stderr.Bytes())
	}
	return string(out)
}

func (l *lab) hook(verb string, more map[string]any) {
	l.t.Helper()
	payload := map[string]any{"session_id": session, "transcript_path": l.talk, "cwd": l.repo}
	maps.Copy(payload, more)
	data, err := json.Marshal(payload)
	l.ok(err)
	cmd := l.command(binary, "hooks", "claude-code", verb)
	cmd.Stdin = bytes.NewReader(data)
	if out, err := cmd.CombinedOutput(); err != nil {
		l.t.Fatalf("hook %s: %v\n%s", verb, err, out)
	}
}

func (l *lab) turn(prompt string, do func()) {
	l.t.Helper()
	l.hook("user-prompt-submit", map[string]any{"prompt": prompt})
	l.say("user", prompt)
	do()
	l.say("assistant", "did "+prompt)
	l.hook("stop", nil)
}

func (l *lab) say(kind, text string) {
	l.t.Helper()
	l.lines++
	line, err := json.Marshal(map[string]any{"type": kind, "uuid": fmt.Sprintf("u-%d", l.lines), "message": map[string]any{"role": kind, "content": text}})
	l.ok(err)
	f, err := os.OpenFile(l.talk, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	l.ok(err)
	_, err = f.Write(append(line, '\n'))
	l.ok(err)
	l.ok(f.Close())
}

// copy makes to a copy of from, times and all.
func (l *lab) copy(from, to string) {
	l.t.Helper()
	l.ok(os.RemoveAll(to))
	if out, err := exec.Command("cp", "-a", from, to).CombinedOutput(); err != nil {
		l.t.Fatalf("copy: %v %s", err, out)
	}
}

// reset puts everything back.
func (l *lab) reset() { l.copy(l.pristine, l.root) }

// entry is what stands at a path.
type entry struct {
	Mode    fs.FileMode
	Content string
	Time    int64
}

// world is the worktree without git's folders and ours, by path. Folders are in
// it for their being there.
type world map[string]entry

func (l *lab) look() world {
	l.t.Helper()
	w := world{}
	l.ok(filepath.WalkDir(l.repo, func(full string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(l.repo, full)
		switch {
		case err != nil:
			return err
		case rel == ".":
			return nil
		case rel == ".git" || rel == ".entire" || rel == "nested/.git":
			return fs.SkipDir
		}
		fi, err := d.Info()
		if err != nil {
			return err
		}
		e := entry{Mode: fi.Mode(), Time: fi.ModTime().UnixNano()}
		switch {
		case d.IsDir():
			e.Time = 0
		case fi.Mode()&fs.ModeSymlink != 0:
			e.Content, err = os.Readlink(full)
		default:
			var data []byte
			data, err = os.ReadFile(full)
			e.Content = string(data)
		}
		w[filepath.ToSlash(rel)] = e
		return err
	}))
	return w
}

// differs names what is otherwise in two worlds; times count where asked.
func (w world) differs(other world, times bool) []string {
	var out []string
	for p, e := range w {
		o, ok := other[p]
		if !times {
			o.Time = e.Time
		}
		if e.Mode.IsDir() && o.Mode.IsDir() {
			continue
		}
		if !ok || o != e {
			out = append(out, p)
		}
	}
	for p := range other {
		if _, ok := w[p]; !ok {
			out = append(out, p)
		}
	}
	return out
}
