//go:build unix

package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"entire/internal/testrepo"
)

// A watched is a worktree and what a test does in it.
type watched struct {
	t    *testing.T
	repo string
	env  []string
}

func newWatched(t *testing.T) watched {
	t.Helper()
	w := watched{t, filepath.Join(t.TempDir(), "repo"), append(testrepo.Environ(testrepo.NewHome(t)), "ENTIRE_TEST_TTY=0")}
	if err := os.MkdirAll(w.repo, 0o755); err != nil {
		t.Fatal(err)
	}
	w.run("git", "init", "-q", "-b", "main")
	w.write("a.txt", "one\n")
	w.write(".gitignore", "ignored/\n*.log\n")
	w.run("git", "add", "-A")
	w.run("git", "commit", "-q", "-m", "one")
	w.run("entire", "enable", "--agent", "generic")
	w.run("git", "add", "-A")
	w.run("git", "commit", "-q", "-m", "enable")
	t.Cleanup(func() { w.try("entire", "watch", "--stop") })
	return w
}

func (w watched) command(name string, args ...string) *exec.Cmd {
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Env = w.repo, w.env
	return cmd
}

func (w watched) try(name string, args ...string) (string, error) {
	out, err := w.command(name, args...).CombinedOutput()
	return string(out), err
}

func (w watched) run(name string, args ...string) string {
	w.t.Helper()
	out, err := w.try(name, args...)
	if err != nil {
		w.t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
	return out
}

func (w watched) write(name, text string) {
	w.t.Helper()
	path := filepath.Join(w.repo, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		w.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		w.t.Fatal(err)
	}
}

// status returns what `watch --status --json` says.
func (w watched) status() (st struct {
	Running                bool
	PID, Steps, Folders    int
	Way, Why, Ended, Waits string
	Last                   string `json:"last_step"`
	WhyPoll                string `json:"why_poll"`
	Error                  string
}) {
	w.t.Helper()
	if err := json.Unmarshal([]byte(w.run("entire", "watch", "--status", "--json")), &st); err != nil {
		w.t.Fatal(err)
	}
	return st
}

// until waits for something that must come to be.
func (w watched) until(what string, is func() bool) {
	w.t.Helper()
	for end := time.Now().Add(2 * time.Minute); !is(); time.Sleep(100 * time.Millisecond) {
		if time.Now().After(end) {
			w.t.Fatalf("never: %s; the watch says %+v", what, w.status())
		}
	}
}

// holds reports whether the last step of the watch has a file with this content.
func (w watched) holds(name, text string) bool {
	last := w.status().Last
	out, err := w.try("git", "show", last+":"+name)
	return last != "" && err == nil && out == text
}

// TestWatch runs the program beside a person who works.
func TestWatch(t *testing.T) {
	t.Parallel()
	w := newWatched(t)
	w.write("ignored/x", "x\n")
	if out := w.run("entire", "watch", "--background"); !strings.Contains(out, "watches") {
		t.Fatalf("it says %q", out)
	}
	if out, err := w.try("entire", "watch"); err == nil || !strings.Contains(out, "watches this worktree already") {
		t.Errorf("a second one: %v, %q", err, out)
	}
	if out := w.run("entire", "watch", "--background"); !strings.Contains(out, "already") {
		t.Errorf("a second one in the background says %q", out)
	}
	w.write("deep/new/folder.txt", "new\n") // folders that appear are watched
	w.write("some.log", "log\n")
	w.until("a new file is saved", func() bool { return w.holds("deep/new/folder.txt", "new\n") })
	first := w.status().Last
	if names := w.run("git", "ls-tree", "-r", "--name-only", first); strings.Contains(names, "ignored/x") || strings.Contains(names, "some.log") {
		t.Errorf("ignored files were saved: %s", names)
	}
	for i := range 20 { // as editors save
		w.write("deep/new/.folder.txt.swp", fmt.Sprintf("version %d\n", i))
		if err := os.Rename(filepath.Join(w.repo, "deep/new/.folder.txt.swp"), filepath.Join(w.repo, "deep/new/folder.txt")); err != nil {
			t.Fatal(err)
		}
	}
	w.until("the last of many saves of an editor is saved", func() bool { return w.holds("deep/new/folder.txt", "version 19\n") })
	if out := w.run("entire", "log", "--kind", "watch"); !strings.Contains(out, "changed outside a turn") {
		t.Errorf("the log says %q", out)
	}
	if out := w.run("entire", "show", first); !strings.Contains(out, "outside a turn") {
		t.Errorf("show says %q", out)
	}

	// While git holds its index, nothing is saved; then it is.
	lock := filepath.Join(w.repo, ".git", "index.lock")
	if err := os.WriteFile(lock, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	w.write("a.txt", "while git works\n")
	w.until("it waits for git", func() bool { return w.status().Waits != "" })
	if w.holds("a.txt", "while git works\n") {
		t.Error("saved while git held its index")
	}
	if err := os.Remove(lock); err != nil {
		t.Fatal(err)
	}
	w.until("it saves when git is done", func() bool { return w.holds("a.txt", "while git works\n") })

	// Killed: what it had saved is there, and another one begins at once.
	if err := syscall.Kill(w.status().PID, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	w.until("the killed one is gone", func() bool { return !w.status().Running })
	w.write("a.txt", "while nobody watched\n")
	w.run("entire", "watch", "--background")
	w.until("the next one saves what changed meanwhile", func() bool { return w.holds("a.txt", "while nobody watched\n") })
	w.run("entire", "rewind", first, "--code", "--yes")
	if _, err := os.Stat(filepath.Join(w.repo, "deep/new/folder.txt")); err != nil {
		t.Error(err)
	}
	if got, _ := os.ReadFile(filepath.Join(w.repo, "deep/new/folder.txt")); string(got) != "new\n" {
		t.Errorf("came back as %q", got)
	}
	w.run("entire", "watch", "--stop")
	if st := w.status(); st.Running || st.Ended != "entire watch --stop" {
		t.Errorf("after --stop: %+v", st)
	}
}

// TestWatchCheckout: a checkout of thousands of files is one step at most, and files of another commit are nobody's
// changes.
func TestWatchCheckout(t *testing.T) {
	t.Parallel()
	w := newWatched(t)
	many := testrepo.Amount(2000, 10000)
	for i := range many {
		w.write(fmt.Sprintf("many/%d/%d.txt", i%100, i), fmt.Sprintln(i))
	}
	w.run("git", "checkout", "-q", "-b", "many")
	w.run("git", "add", "-A")
	w.run("git", "commit", "-q", "-m", "many")
	w.run("git", "checkout", "-q", "main")
	w.run("entire", "watch", "--background")
	w.run("git", "checkout", "-q", "many", "--", ".")
	w.until("the files are saved", func() bool { return w.holds(fmt.Sprintf("many/99/%d.txt", many-1), fmt.Sprintln(many-1)) })
	if st := w.status(); st.Steps != 1 || st.Folders < 101 {
		t.Errorf("after %d files: %+v", many, st)
	}
}

// TestWatchEnds: it ends when the worktree is gone, on a signal, and after a time without a change; with too many
// folders it polls and says so.
func TestWatchEnds(t *testing.T) {
	t.Parallel()
	w := newWatched(t)
	if out := w.run("entire", "watch", "--folders", "1", "--every", "1s", "--idle", "1s"); true {
		if !strings.Contains(out, "nothing changed for 1s") {
			t.Errorf("idle: %q", out)
		}
	}
	w.write("deep/er/a.txt", "one\n")
	cmd := w.command("entire", "watch", "--folders", "1", "--every", "1s")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	w.until("polling", func() bool {
		st := w.status()
		return st.Way == "poll" && strings.Contains(st.WhyPoll, "more than 1 folders")
	})
	w.write("deep/er/a.txt", "two\n")
	w.until("a poll saves", func() bool { return w.holds("deep/er/a.txt", "two\n") })
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // its status is that of the signal
	if st := w.status(); st.Running || st.Ended != "a signal" {
		t.Errorf("after a signal: %+v", st)
	}
	cmd = w.command("entire", "watch")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	w.until("watching", func() bool { return w.status().Running })
	if err := os.Rename(w.repo, w.repo+"-moved"); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("when the worktree was gone: %v", err)
	}
	if _, err := os.Stat(w.repo); err == nil {
		t.Error("the worktree that was gone was made anew")
	}
	w.repo += "-moved"
	w.run("entire", "watch", "--status")
}

// TestWatchWithSessions: a person's own settings start it with a session, a repository's do not; when Entire is
// disabled, it ends.
func TestWatchWithSessions(t *testing.T) {
	t.Parallel()
	w := newWatched(t)
	begin := func(session string) {
		cmd := w.command("entire", "hooks", "generic", "session-start")
		cmd.Stdin = strings.NewReader(fmt.Sprintf(`{"version":1,"session_id":%q,"cwd":%q,"agent":"My Agent"}`, session, w.repo))
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	settings := w.read(".entire/settings.json")
	w.write(".entire/settings.json", strings.Replace(settings, "{", `{"strategy_options": {"guard": {"watch": true}},`, 1))
	begin("one")
	w.write(".entire/settings.json", settings)
	if st := w.status(); st.Running || st.PID != 0 {
		t.Errorf("the repository's settings started it: %+v", st)
	}
	w.write(".entire/settings.local.json", `{"strategy_options": {"guard": {"watch": true}}}`)
	begin("two")
	w.until("a session started it", func() bool { return w.status().Running })
	if out := w.run("entire", "status", "--json"); !strings.Contains(out, `"watched": true`) && !strings.Contains(out, `"watched":true`) {
		t.Errorf("status says %s", out)
	}
	begin("three") // the second process ends at once
	w.write("a.txt", "between turns\n")
	w.until("it saves", func() bool { return w.holds("a.txt", "between turns\n") })
	w.run("entire", "disable")
	w.until("it ends", func() bool { st := w.status(); return !st.Running && st.Ended == "Entire is disabled here" })
}

// TestWatchWithoutRoom: when a step cannot be written, as on a full disk, the watch says so and goes on. (No file
// can grow beyond one block here.)
func TestWatchWithoutRoom(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("no bash")
	}
	w := newWatched(t)
	noise := make([]byte, 64<<10)
	rand.NewChaCha8([32]byte{}).Read(noise)
	w.write("large.bin", string(noise))
	cmd := w.command("bash", "-c", "ulimit -f 1; exec entire watch")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	w.until("it says that it cannot save", func() bool { return w.status().Error != "" })
	if st := w.status(); !st.Running || st.Steps != 0 {
		t.Errorf("after the failure: %+v", st)
	}
	w.run("git", "fsck", "--no-dangling")
	w.run("entire", "watch", "--stop")
	if err := cmd.Wait(); err != nil {
		t.Errorf("it ended with %v", err)
	}
	w.run("entire", "watch", "--background") // with room again
	w.until("the next one saves it", func() bool { return w.holds("large.bin", string(noise)) })
}

func (w watched) read(name string) string {
	w.t.Helper()
	text, err := os.ReadFile(filepath.Join(w.repo, name))
	if err != nil {
		w.t.Fatal(err)
	}
	return string(text)
}
