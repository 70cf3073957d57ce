//go:build soak && unix

package soak

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// kills is one run of the kill test: an operation, killed at a random instant
// of the time it takes, then what must hold, then the next of the operations.
type kills struct {
	*talk
	rng      *rand.Rand
	typical  map[string]time.Duration // how long each operation takes
	at       string                   // names the present kill in messages
	reports  map[string]int           // what went wrong, counted
	counts   map[string]int           // what was done
	tree     map[string]string        // what the user's files must be
	rewound  map[string]string        // what they may be after a rewind
	messages int
}

// TestSoakKills kills stop, post-commit and rewind at random instants. Whatever
// the instant, git finds the repository sound, the user's files are as they were
// or, after a rewind, as they shall be, and the next hook completes the rest.
func TestSoakKills(t *testing.T) {
	p := newPlace(t)
	s := &kills{talk: p.talk(1), rng: chance(1), typical: map[string]time.Duration{}, reports: map[string]int{}, counts: map[string]int{}}
	total := 25 * rounds
	start := time.Now()
	for n := 0; s.counts["killed"] < total && n < 3*total; n++ {
		s.at = fmt.Sprintf("kill %d", n)
		switch n % 3 {
		case 0:
			s.killStop()
		case 1:
			s.killPostCommit()
		case 2:
			s.killRewind()
		}
		if n%100 == 99 {
			t.Logf("%v: %v", time.Since(start).Round(time.Second), s.counts)
			p.Git("repack", "-adq")
		}
	}
	s.check(p.fsck(true))
	t.Logf("%v: %v", time.Since(start).Round(time.Second), s.counts)
	for what, n := range s.reports {
		t.Logf("%d times: %s", n, what)
	}
}

// fail records that something must not be. Each kind is shown three times.
func (s *kills) fail(format string, args ...any) {
	s.t.Helper()
	if s.reports[format]++; s.reports[format] <= 3 {
		s.t.Errorf(s.at+": "+format, args...)
	} else {
		s.t.Fail()
	}
}

func (s *kills) check(err error) {
	s.t.Helper()
	if err != nil {
		s.fail("%v", err)
	}
}

// kill runs cmd and kills it, mostly before its usual end.
func (s *kills) kill(name string, cmd *exec.Cmd) {
	s.t.Helper()
	group := s.rng.IntN(2) == 0
	delay := time.Hour
	usual, known := s.typical[name]
	if known {
		delay = time.Duration(s.rng.Int64N(int64(usual) * 11 / 10))
	}
	start := time.Now()
	killed := killAfter(s.t, cmd, delay, group)
	if killed {
		s.counts["killed"]++
		s.counts["killed "+name]++
	} else {
		s.counts["too late for "+name]++
		s.typical[name] = (2*max(usual, time.Since(start)) + time.Since(start)) / 3
	}
	s.at = fmt.Sprintf("%s (%s, group %v, after %v of %v)", s.at, name, group, delay.Round(time.Millisecond), s.typical[name].Round(time.Millisecond))
	s.check(s.fsck(s.counts["killed"]%10 == 0))
}

// untouched checks that a hook left every file of the user's, HEAD and the
// index alone.
func (s *kills) untouched(status string) {
	s.t.Helper()
	if now := s.files(); !maps.Equal(now, s.tree) {
		s.fail("the hook changed files: %v", differing(now, s.tree))
	}
	if now := s.status(); now != status {
		s.fail("git status was %q, is %q", status, now)
	}
}

// status is HEAD, and the index beside both sides.
func (s *kills) status() string {
	return s.Git("--no-optional-locks", "rev-parse", "HEAD") + s.Git("--no-optional-locks", "status", "--porcelain")
}

// recovered checks what the hook after the killed one must have cleared away.
func (s *kills) recovered() {
	s.t.Helper()
	for _, rest := range []string{".git/entire/rewind.json", ".git/entire/stage"} {
		if s.Exists(rest) {
			s.fail("%s is left", rest)
		}
	}
	if locks := s.gitLocks(); len(locks) > 0 {
		s.fail("lock files block git: %v", locks)
		for _, lock := range locks {
			s.Remove(".git/" + lock)
		}
	}
	for _, c := range s.complaints() {
		s.fail("a hook logged: %s", c)
	}
}

// work is a turn up to its Stop.
func (s *kills) work() {
	s.t.Helper()
	s.prompt()
	s.write(fmt.Sprintf("src/d%d/f%d.txt", s.turn%5, s.turn%5+5*(s.turn%7)), text(s.turn, 3000))
	s.write(fmt.Sprintf("src/new/n%d.txt", s.turn%9), text(s.turn, 2000))
	if s.turn%3 == 0 {
		s.write("docs/deep/note.txt", text(s.turn, 100))
	} else {
		s.Remove("docs")
	}
	s.say(4000)
	s.tree = s.files()
}

// finish is the whole of the Stop hook.
func (s *kills) finish() {
	s.t.Helper()
	if out, err := s.stop().CombinedOutput(); err != nil {
		s.t.Fatalf("stop: %v\n%s", err, out)
	}
}

// saved checks that the last step is the worktree and the whole conversation.
func (s *kills) saved() {
	s.t.Helper()
	refs := s.Git("for-each-ref", "--format=%(refname)", "refs/heads/entire/")
	ref := ""
	for _, name := range strings.Fields(refs) {
		if strings.HasPrefix(name, "refs/heads/entire/"+s.Head()[:7]) {
			ref = name
		}
	}
	if ref == "" {
		s.fail("no shadow branch for HEAD among %s", refs)
		return
	}
	if diff := s.differsFrom(ref); len(diff) > 0 {
		s.fail("the last step differs from the worktree in %v", diff)
	}
	s.check(s.complete(ref + ":.entire/metadata/" + s.id + "/"))
}

func (s *kills) killStop() {
	s.work()
	status := s.status()
	s.kill("stop", s.stop())
	s.untouched(status)
	if s.rng.IntN(2) == 0 {
		s.finish()
	} else { // the turn is closed by the next one
		s.work()
		s.finish()
	}
	s.recovered()
	s.saved()
}

func (s *kills) killPostCommit() {
	s.work()
	s.finish()
	s.Git("add", "-A")
	s.messages++
	commit := s.Command("git", "commit", "-q", "-m", fmt.Sprintf("work %d", s.messages))
	commit.Env = append(commit.Env, "PATH="+s.withoutPostCommit())
	if out, err := commit.CombinedOutput(); err != nil {
		s.t.Fatalf("commit: %v\n%s", err, out)
	}
	first := s.trailer()
	if first == "" {
		s.fail("the commit got no trailer")
	}
	hook := s.Command(binary, "hooks", "git", "post-commit")
	hook.Env = append(hook.Env, "GIT_DIR=.git", "GIT_INDEX_FILE=.git/index", "GIT_PREFIX=")
	status := s.status()
	s.kill("post-commit", hook)
	s.untouched(status)
	s.work() // its prompt is the next hook
	s.linked(first, "by the next hook")
	s.finish()
	s.recovered()
	s.saved()
	s.Git("add", "-A")
	s.Git("commit", "-q", "-m", "the commit after")
	s.linked(first, "even after another commit")
	s.linked(s.trailer(), "of the commit after")
	s.recovered()
}

func (s *kills) trailer() string {
	return s.Git("log", "-1", "--format=%(trailers:key=Entire-Checkpoint,valueonly)")
}

// linked checks that a trailer's checkpoint is on the metadata branch.
func (s *kills) linked(id, which string) {
	s.t.Helper()
	if len(id) != 12 {
		s.fail("no trailer on %s: %q", which, id)
		return
	}
	got, err := s.stored("entire/checkpoints/v1:" + id[:2] + "/" + id[2:] + "/0/")
	if err != nil || got == "" {
		s.fail("checkpoint not written %s", which)
	}
}

func (s *kills) killRewind() {
	s.work()
	s.finish()
	then := s.tree
	point := s.points()[0]
	s.work()
	s.finish()
	status := s.status()
	now := s.tree
	rewind := s.Command(binary, "rewind", "--to", point, "--yes")
	rewind.Stdout, rewind.Stderr = nil, nil
	s.kill("rewind", rewind)
	for path, content := range s.files() {
		if content != now[path] && content != then[path] {
			s.fail("%s is torn", path)
		}
	}
	next := [][]string{{"status"}, {"rewind", "--list"}}[s.rng.IntN(2)]
	s.at += ", then " + next[0]
	s.entire(next...)
	switch after := s.files(); {
	case maps.Equal(after, then):
		s.counts["rewind done"]++
		s.tree = then
	case maps.Equal(after, now):
		s.counts["rewind not begun"]++
		if s.status() != status {
			s.fail("git status was %q, is %q", status, s.status())
		}
	default:
		s.fail("neither the old nor the new state: %v and %v", differing(after, now), differing(after, then))
		s.tree = after
	}
	s.recovered()
}

func (s *kills) points() []string {
	s.t.Helper()
	var out []string
	for _, line := range strings.Split(s.entire("rewind", "--list"), "\n") {
		if _, rest, ok := strings.Cut(line, `"id": "`); ok {
			out = append(out, strings.TrimRight(rest, `",`))
		}
	}
	if len(out) == 0 {
		s.t.Fatal("no rewind points")
	}
	return out
}
