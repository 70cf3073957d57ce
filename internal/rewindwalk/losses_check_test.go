package rewindwalk

import (
	"encoding/json"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"entire/internal/histories"
)

// hookLine returns the line of the first agent's hook before a command.
func (l *losses) hookLine() string {
	data, err := os.ReadFile(filepath.Join(template, "repo", ".claude", "settings.json"))
	var settings struct {
		Hooks map[string][]struct {
			Matcher string
			Hooks   []struct{ Command string }
		}
	}
	if err == nil {
		err = json.Unmarshal(data, &settings)
	}
	if err != nil {
		histories.Fail("setup", "%v", err)
	}
	for _, group := range settings.Hooks["PreToolUse"] {
		if group.Matcher == "Bash" {
			return group.Hooks[0].Command
		}
	}
	histories.Fail("setup", "the agent has no hook before a command")
	return ""
}

// held are the files that a point must hold: what git does not ignore.
func (l *losses) held(files histories.Tree) histories.Tree {
	return without(only(files, l.captured(files)))
}

// without drops what is of another repository.
func without(files histories.Tree) histories.Tree {
	out := maps.Clone(files)
	maps.DeleteFunc(out, func(p string, _ histories.File) bool { return histories.Below(p, "nested") })
	return out
}

// keep records a state that must come back. id is the point that the program named, "" if it named none: then the
// newest step holds the files, or HEAD.
func (l *losses) keep(what, id string, files histories.Tree) {
	files = l.held(files)
	if id == "" {
		id = l.newest()
	}
	if diff := histories.Changed(files, without(l.Repo.Files(id, l.Skip...))); len(diff) > 0 {
		histories.Fail("not saved", "%s: %.7s differs at %q", what, id, diff)
	}
	l.Note("   %s: %.7s", what, id)
	l.states = append(l.states, state{what, id, l.head, files})
	l.Stats["states"]++
}

// guarded runs a command after the guard was asked, and promises what was there before, unless the guard neither
// saved nor had to: then no file that had content may be gone or changed.
func (l *losses) guarded(line, id string, before histories.Tree) {
	files := l.held(before)
	if id == "" && len(histories.Changed(files, without(l.Repo.Files(l.newest(), l.Skip...)))) > 0 {
		l.sh(line)
		now := l.Files(0)
		for p, f := range files {
			if f.Text != "" && now[p] != f {
				histories.Fail("missed", "%q was not guarded, and destroyed %s", line, p)
			}
		}
		return
	}
	l.keep("before "+line, id, before)
	l.sh(line)
}

// newest returns the newest step on HEAD, HEAD if there is none.
func (l *losses) newest() string {
	id := l.head
	for _, line := range strings.Fields(l.git("for-each-ref", "--format=%(objectname)", "refs/heads/entire/"+l.head[:7]+"-*")) {
		id = line
	}
	return id
}

// back brings a state back with the program, and compares every byte.
func (l *losses) back(s state) {
	if s.id == s.head {
		return // the files were as a commit has them
	}
	l.tryGit("merge", "--abort")
	l.git("checkout", "-q", "-f", "--detach", s.head)
	l.moved()
	cmd := l.command("rewind", s.id, "--code", "--tree", "--yes")
	out, err := cmd.CombinedOutput()
	if err != nil && !strings.Contains(string(out), "nothing") {
		histories.Fail("rewind", "%s, %.7s: %v: %s", s.what, s.id, err, out)
	}
	now := l.held(l.Files(0))
	if diff := l.notSaid(histories.Changed(s.files, now), string(out)); len(diff) > 0 {
		histories.Fail("lost", "%s, %.7s: not as it was: %q (it was %v, is %v)\n%s", s.what, s.id, diff, s.files[diff[0]], now[diff[0]], out)
	}
	l.Stats["came back"]++
}

// notSaid drops a path if the program says that a folder is in its way and that folder is empty: a rewind
// removes no folder that it did not make, and no byte is lost.
func (l *losses) notSaid(paths []string, said string) []string {
	return slices.DeleteFunc(paths, func(p string) bool {
		return strings.Contains(said, "Kept: "+p+" (a folder is in the way") && !slices.ContainsFunc(slices.Collect(maps.Keys(l.read())), func(q string) bool { return histories.Below(q, p) })
	})
}

// allBack asks for every state.
func (l *losses) allBack() {
	l.endWatch()
	for _, s := range slices.Backward(l.states) {
		l.back(s)
	}
	l.git("fsck", "--no-dangling", "--no-progress")
}

// goBack is a rewind to a state by its own, perhaps killed: then the files are as they were, or as they should be.
func (l *losses) goBack(rng *rand.Rand) {
	var here []state
	for _, s := range l.states {
		if s.head == l.head && s.id != s.head {
			here = append(here, s)
		}
	}
	if len(here) == 0 {
		return
	}
	s := histories.Pick(rng, here)
	before := l.held(l.Files(0))
	out, ended := l.perhapsKilled(rng, l.command("rewind", s.id, "--code", "--tree", "--yes"))
	if !ended {
		l.must("status") // and whatever else comes next finishes what was begun
		l.must("rewind", "--list")
	}
	now := l.held(l.Files(0))
	l.Note("   rewind to %.7s: %v", s.id, ended)
	if toTarget, stayed := len(l.notSaid(histories.Changed(s.files, now), out)) == 0, len(histories.Changed(before, now)) == 0; !toTarget && (ended || !stayed) {
		histories.Fail("half", "a rewind to %.7s left something else: %q\n%s", s.id, histories.Changed(s.files, now), out)
	}
}

// watch runs `entire watch` while a person works, until it has saved that or is killed.
func (l *losses) watch(rng *rand.Rand) {
	l.endWatch()
	l.watcher = l.command("watch")
	if err := l.watcher.Start(); err != nil {
		histories.Fail("start", "%v", err)
	}
	l.alter(rng)
	if rng.IntN(2) == 0 {
		time.Sleep(time.Duration(rng.IntN(2_500)) * time.Millisecond)
		l.endWatch()
	}
	l.Stats["watched"]++
}

// endWatch kills the watch.
func (l *losses) endWatch() {
	if l.watcher != nil {
		_ = l.watcher.Process.Kill()
		_ = l.watcher.Wait()
		l.watcher = nil
	}
}
