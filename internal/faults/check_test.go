//go:build unix

package faults

import (
	"bytes"
	"crypto/sha1"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// fixed are the files of git that no rewind may write.
var fixed = []string{"index", "HEAD", "config", "MERGE_HEAD", "MERGE_MSG", "ORIG_HEAD", "refs/stash", "logs/refs/stash", "logs/HEAD", "refs/heads/main", "refs/heads/side"}

// try carries out an operation with a fault and returns what is wrong afterwards.
func (l *lab) try(op operation, job traced) (o outcome, wrong []string) {
	l.t.Helper()
	l.reset()
	job.Args = op.command()
	o, said := l.tracedRun(job)
	e := l.experiment(op, said, o.Code, strings.HasPrefix(job.Fault, "KILL"))
	e.blind = job.Class == read && strings.HasPrefix(o.Hit, "git ")
	if job.At > 0 && o.Hit == "" {
		return o, nil
	}
	e.check()
	if len(e.wrong) > 0 {
		e.wrong = append(e.wrong, "it said: "+said, "status said: "+e.status)
	}
	return o, e.wrong
}

// experiment is one operation that met a fault.
type experiment struct {
	*lab
	op       operation
	from, to world
	said     string
	code     int
	killed   bool
	blind    bool   // git could not read something, of which it says nothing
	status   string // what the next command said
	wrong    []string
}

func (l *lab) experiment(op operation, said string, code int, killed bool) *experiment {
	return &experiment{lab: l, op: op, from: maps.Clone(op.from), to: maps.Clone(op.to), said: said, code: code, killed: killed}
}

func (e *experiment) fail(format string, args ...any) {
	e.wrong = append(e.wrong, fmt.Sprintf(format, args...))
}

func (e *experiment) check() {
	journal := e.there(".git/entire/rewind.json")
	staged, _ := os.ReadDir(e.path(".git/entire/stage"))
	prepared := len(staged) > 0
	e.ageLocks()
	if !e.killed && e.code == 0 && !journal {
		e.leftOut()
		e.is(e.to, "it said that it was done")
	}
	e.next()
	told := strings.Contains(e.status, "finished the interrupted") || strings.Contains(e.status, "rolled back")
	if journal && !told {
		e.fail("the next command did not say what became of the rewind")
	}
	if prepared && !journal && !told && !strings.Contains(e.status, "before it changed any file") && !e.done() && e.killed {
		if len(e.look().differs(e.from, false)) == 0 {
			e.fail("the next command did not say that nothing had been changed")
		}
	}
	now := e.without(e.look())
	back, done := len(now.differs(e.from, false)) == 0, len(now.differs(e.to, false)) == 0
	switch {
	case !back && !done:
		e.fail("the worktree is neither as before (differs in %v) nor as it should be (%v)", now.differs(e.from, false), now.differs(e.to, false))
	case back:
		if d := now.differs(e.from, true); len(d) > 0 {
			e.fail("nothing was changed, but the times of %v", d)
		}
	}
	if strings.Contains(e.said, "outside the sparse checkout") {
		e.fail("it said why it kept a file, but there is no sparse checkout")
	}
	e.untouched(now)
	e.nothingLeft()
	e.sound()
	e.spokenStays()
	if len(e.wrong) == 0 {
		e.goOn(done)
	}
}

// leftOut expects of a file that is as before, and that it said it kept or that git did
// not see, to stay so.
func (e *experiment) leftOut() {
	now := e.look()
	for _, p := range now.differs(e.to, false) {
		was, there := e.from[p]
		is, stays := now[p]
		if there != stays || there && (was.Mode != is.Mode || was.Content != is.Content) {
			continue
		}
		if !e.blind && !strings.Contains(e.said, "Kept: "+p+" (") {
			continue
		}
		if there {
			e.to[p] = was
			e.holds(p)
		} else {
			delete(e.to, p)
		}
	}
}

// holds expects the folders above a file that stays to stay with it.
func (e *experiment) holds(p string) {
	for dir := path.Dir(p); dir != "."; dir = path.Dir(dir) {
		if was, there := e.from[dir]; there && e.to[dir].Mode == 0 {
			e.to[dir] = was
		}
	}
}

// ageLocks makes it later: a lock that a killed git left on a ref of ours counts
// as left behind after ten seconds.
func (e *experiment) ageLocks() {
	_ = filepath.WalkDir(filepath.Join(e.repo, ".git/refs"), func(path string, d fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, ".lock") {
			_ = os.Chtimes(path, time.Time{}, time.Now().Add(-time.Minute))
		}
		return nil
	})
}

// next is the command after the fault.
func (e *experiment) next() {
	cmd := e.command(binary, "status")
	out, err := cmd.CombinedOutput()
	e.status = string(out)
	if err != nil {
		e.fail("the next command: %v", err)
	}
}

// without leaves out an empty folder that it said it could not remove.
func (e *experiment) without(w world) world {
	for p, f := range w {
		if f.Mode.IsDir() && strings.Contains(e.said+e.status, "could not be removed") && (e.from[p].Mode == 0 || e.to[p].Mode == 0) {
			delete(w, p)
			delete(e.from, p)
			delete(e.to, p)
		}
	}
	return w
}

// done: it said that it was.
func (e *experiment) done() bool {
	return strings.Contains(e.said, "Rewound to") || strings.Contains(e.said, "Undid rewind")
}

func (e *experiment) is(want world, why string) {
	if d := e.without(e.look()).differs(want, false); len(d) > 0 {
		e.fail("%s, but %v are otherwise", why, d)
	}
}

func (e *experiment) there(path string) bool {
	_, err := os.Lstat(e.path(path))
	return err == nil
}

// untouched compares what is the user's own: git's files byte by byte, and the
// times of files that are the same in both states.
func (e *experiment) untouched(now world) {
	for _, name := range fixed {
		was, err := os.ReadFile(filepath.Join(e.pristine, "repo/.git", name))
		is, err2 := os.ReadFile(e.path(".git/" + name))
		if !bytes.Equal(was, is) || (err == nil) != (err2 == nil) {
			e.fail("git's %s changed", name)
		}
	}
	for p, was := range e.from {
		if is, same := e.to[p], now[p]; is.Mode == was.Mode && is.Content == was.Content && !was.Mode.IsDir() && same.Time != was.Time {
			e.fail("%s is the same in both states, but its time changed", p)
		}
	}
}

// nothingLeft looks for what a rewind keeps only while it is under way.
func (e *experiment) nothingLeft() {
	for _, p := range []string{".git/entire/rewind.json", ".git/entire/stage", ".entire/tmp/rewind", ".git/index.lock", ".git/HEAD.lock", ".git/config.lock"} {
		if e.there(p) {
			e.fail("%s is left", p)
		}
	}
	for p := range e.look() {
		if strings.HasPrefix(filepath.Base(p), ".entire-") {
			e.fail("%s is left", p)
		}
	}
}

// sound asks git, and whether every file of both states can be reached from a
// ref.
func (e *experiment) sound() {
	if out, err := e.command("git", "fsck", "--full", "--no-dangling", "--no-progress").CombinedOutput(); err != nil || len(out) > 0 {
		e.fail("git fsck: %v %s", err, out)
	}
	list, err := e.command("git", "rev-list", "--objects", "--all").Output()
	if err != nil {
		e.fail("rev-list: %v", err)
	}
	for _, state := range []world{e.from, e.to} {
		for p, f := range state {
			if f.Mode.IsDir() || strings.HasPrefix(p, "out/") || strings.HasPrefix(p, "nested/") {
				continue
			}
			content := f.Content
			if strings.HasSuffix(p, ".crlf") {
				content = strings.ReplaceAll(content, "\r\n", "\n")
			}
			if same := e.to[p]; same.Content == f.Content && state != nil && e.from[p].Content == f.Content {
				continue // in the worktree in any case
			}
			if oid := fmt.Sprintf("%x", sha1.Sum(fmt.Appendf(nil, "blob %d\x00%s", len(content), content))); !bytes.Contains(list, []byte(oid)) {
				if is, err := os.ReadFile(e.path(p)); err != nil || string(is) != f.Content {
					e.fail("the content of %s cannot be reached any more", p)
				}
			}
		}
	}
}

// spokenStays looks for the whole conversation.
func (e *experiment) spokenStays() {
	for _, dir := range []string{filepath.Dir(e.talk), filepath.Join(e.repo, ".git"), filepath.Join(e.root, "data")} {
		found := false
		_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err == nil && d.Type().IsRegular() {
				if data, err := os.ReadFile(path); err == nil && bytes.HasPrefix(data, []byte(e.spoken)) {
					found = true
				}
			}
			return nil
		})
		if found {
			return
		}
	}
	e.fail("the conversation is not whole anywhere")
}

// goOn shows that nothing is stuck: what was not done can be done, and what was
// done undone.
func (e *experiment) goOn(done bool) {
	goal, args := e.op.to, e.op.args
	if done {
		goal, args = e.op.from, e.op.inverse
	}
	if out, err := e.command(binary, args...).CombinedOutput(); err != nil {
		e.fail("entire %s: %v\n%s", strings.Join(args, " "), err, out)
		return
	}
	if d := e.look().differs(goal, false); len(d) > 0 {
		slices.Sort(d)
		e.fail("after entire %s %v are otherwise", strings.Join(args, " "), d)
	}
}
