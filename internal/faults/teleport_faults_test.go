//go:build unix

package faults

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// afterReceiving looks at what the next commands say, receives again, and compares what is
// there then.
func (c *crossing) afterReceiving(o outcome, said string, fail func(string, ...any)) (again string) {
	c.t.Helper()
	want := c.want
	differs := func() []string {
		is := c.arrived()
		if strings.Contains(said+again, "the remote still has it") {
			want.Remote = is.Remote // a git was killed there and left its lock
		}
		return want.differs(is)
	}
	if o.Code == 0 {
		for _, d := range differs() {
			fail("it said that it was done, but %s", d)
		}
	}
	for _, args := range [][]string{{"status"}, {"sessions", "list"}} {
		if out, err := c.command(binary, args...).CombinedOutput(); err != nil {
			fail("entire %s: %v\n%s", strings.Join(args, " "), err, out)
		}
	}
	if now := c.look(); len(now.differs(c.from, false)) > 0 && len(now.differs(c.want.Files, false)) > 0 {
		fail("the worktree is neither as before (%v) nor as it should be (%v)", now.differs(c.from, false), now.differs(c.want.Files, false))
	}
	out, err := c.command(binary, c.args...).CombinedOutput()
	again = string(out)
	if err != nil && !(strings.Contains(again, "nothing is there under this code") && len(differs()) == 0) {
		fail("to receive it again: %v", err)
	}
	for _, d := range differs() {
		fail("received again, %s", d)
	}
	c.soundAfter(fail)
	return again
}

// soundAfter asks git, and looks for what is needed only while a parcel is under way.
func (c *crossing) soundAfter(fail func(string, ...any)) {
	if out, err := c.command("git", "fsck", "--full", "--no-dangling", "--no-progress").CombinedOutput(); err != nil || len(out) > 0 {
		fail("git fsck: %v %s", err, out)
	}
	if out, err := c.command(binary, "doctor", "--fix").CombinedOutput(); err != nil {
		fail("entire doctor --fix: %v\n%s", err, out)
	}
	for _, dir := range []string{".git/entire/rewind.json", ".git/entire/stage", ".git/index.lock", ".git/HEAD.lock"} {
		if _, err := os.Lstat(c.path(dir)); err == nil {
			fail("%s is left", dir)
		}
	}
	for p := range c.look() {
		if strings.HasPrefix(filepath.Base(p), ".entire-") {
			fail("%s is left", p)
		}
	}
}

// TestFaultsOfReceiving breaks `teleport receive` at a sample of its calls that change a file, or
// with FAULTS=all at every one.
func TestFaultsOfReceiving(t *testing.T) {
	t.Parallel()
	for name, make := range map[string]func(*testing.T, string) *crossing{"arrives": arrives, "home": comesHome} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if one := os.Getenv("FAULTS_OF"); one != "" && one != name {
				return
			}
			c := make(t, t.TempDir())
			c.every(c.afterReceiving)
		})
	}
}

// every tries each fault at a sample of the calls.
func (c *crossing) every(after func(o outcome, said string, fail func(string, ...any)) (again string)) {
	if !canTrace {
		c.t.Log("no tracer for this system")
		return
	}
	c.reset()
	o, said := c.tracedRun(traced{Args: append([]string{binary}, c.args...), Class: change, Log: true})
	if o.Calls == 0 {
		c.t.Logf("nothing can be traced here: %s", said)
		return
	}
	faults := []string{"KILL", "KILLALL", "ENOSPC", "EIO"}
	for i, fault := range faults {
		if only := os.Getenv("FAULTS_ONLY"); only != "" && only != fault {
			continue
		}
		first, step := number("FAULTS_FROM", 1), number("FAULTS_STEP", 1)
		if at := number("FAULTS_AT", 0); at > 0 {
			first, step = at, 0
		} else if os.Getenv("FAULTS") != "all" { // one of each
			first, step = 1+(o.Calls/len(faults)*i+number("FAULTS_SEED", 5))%o.Calls, 0
		}
		tried, bad := 0, 0
		for at := first; ; at += step {
			c.reset()
			o, said := c.tracedRun(traced{Args: append([]string{binary}, c.args...), Class: change, At: at, Fault: fault})
			if o.Hit == "" {
				break
			}
			(&experiment{lab: c.lab}).ageLocks()
			var wrong []string
			fail := func(format string, args ...any) { wrong = append(wrong, fmt.Sprintf(format, args...)) }
			if strings.HasPrefix(o.Hit, "hangs") {
				fail("it does not end")
			}
			again := after(o, said, fail)
			tried++
			if len(wrong) > 0 {
				bad++
				c.t.Errorf("%s at call %d (%s), exit status %d:\n  %s\nit said: %s\nagain it said: %s", fault, at, o.Hit, o.Code, strings.Join(wrong, "\n  "), said, again)
			}
			if step == 0 {
				break
			}
		}
		c.t.Logf("%s at %d of %d calls, %d of them bad", fault, tried, o.Calls, bad)
	}
}

// leaves is a session that is to be sent through the remote.
func leaves(t *testing.T, parent string) *crossing {
	one, two := newMachines(t, parent)
	c := &crossing{lab: one, other: two, args: []string{"teleport", "send", "--with-code", "--to", "origin"}}
	c.copy(c.root, c.pristine)
	c.from = c.look()
	return c
}

var codeLine = regexp.MustCompile(`(?m)^Code: ([a-z-]+)$`)

// afterSending goes on with it, or sends anew where no code was told, and has it received.
func (c *crossing) afterSending(o outcome, said string, fail func(string, ...any)) (againSaid string) {
	c.t.Helper()
	if d := c.look().differs(c.from, true); len(d) > 0 {
		fail("sending changed %v", d)
	}
	again := c.args
	if code := codeLine.FindStringSubmatch(said); code != nil {
		again = []string{"teleport", "send", "--again", code[1], "--to", "origin"}
	} else if o.Code == 0 {
		fail("no code was told")
	}
	out, err := c.command(binary, again...).CombinedOutput()
	if err != nil && strings.Contains(string(out), "the ref is locked there") && strings.Contains(string(out), "send it again") {
		out, err = c.command(binary, c.args...).CombinedOutput() // the remote's git was killed and left its lock
	}
	code := codeLine.FindStringSubmatch(string(out))
	if err != nil || code == nil {
		fail("entire %s: %v\n%s", strings.Join(again, " "), err, out)
	} else if got, err := c.other.command(binary, "teleport", "receive", code[1]).CombinedOutput(); err != nil {
		fail("receive what was sent again: %v\n%s", err, got)
	} else if d := c.other.look().differs(c.from, false); len(d) > 1 { // the agent's settings, which are committed
		fail("%v did not arrive as they were", d)
	}
	if refs := c.run("git", "--git-dir", filepath.Join(c.root, "shared.git"), "for-each-ref", "--format=%(refname)", "refs/heads"); refs != "refs/heads/main\n" {
		fail("the remote has %s", refs)
	}
	c.soundAfter(fail)
	return string(out)
}

// TestFaultsOfSending breaks `teleport send` in the same way.
func TestFaultsOfSending(t *testing.T) {
	t.Parallel()
	if one := os.Getenv("FAULTS_OF"); one != "" && one != "send" {
		return
	}
	c := leaves(t, t.TempDir())
	c.every(c.afterSending)
}
