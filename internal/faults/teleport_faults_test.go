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

// tryReceive breaks a receive, looks at what the next commands say, receives again,
// and returns what is wrong then.
func (c *crossing) tryReceive(job traced) (o outcome, wrong []string) {
	c.t.Helper()
	c.reset()
	job.Args = append([]string{binary}, c.args...)
	o, said := c.tracedRun(job)
	if job.At > 0 && o.Hit == "" {
		return o, nil
	}
	fail := func(format string, args ...any) { wrong = append(wrong, fmt.Sprintf(format, args...)) }
	e := &experiment{lab: c.lab}
	e.ageLocks()
	if strings.HasPrefix(o.Hit, "hangs") {
		fail("it does not end")
	}
	if o.Code == 0 {
		for _, d := range c.want.differs(c.arrived()) {
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
	if err != nil && !(strings.Contains(string(out), "nothing is there under this code") && len(c.want.differs(c.arrived())) == 0) {
		fail("to receive it again: %v\n%s", err, out)
	}
	for _, d := range c.want.differs(c.arrived()) {
		fail("received again, %s", d)
	}
	c.soundAfter(fail)
	if len(wrong) > 0 {
		wrong = append(wrong, "it said: "+said, "again it said: "+string(out))
	}
	return o, wrong
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
	for name, make := range map[string]func(*testing.T, string) *crossing{"arrives": arrives, "home": comesHome} {
		t.Run(name, func(t *testing.T) {
			if one := os.Getenv("FAULTS_OF"); one != "" && one != name {
				return
			}
			c := make(t, t.TempDir())
			c.every(c.tryReceive)
		})
	}
}

// every tries each fault at a sample of the calls.
func (c *crossing) every(try func(traced) (outcome, []string)) {
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
		first, step := 1, number("FAULTS_STEP", 1)
		if at := number("FAULTS_AT", 0); at > 0 {
			first, step = at, 1<<30
		} else if os.Getenv("FAULTS") != "all" {
			step = max(1, o.Calls/3)
			first = 1 + (step/len(faults)*i+number("FAULTS_SEED", 5))%step
		}
		tried, bad := 0, 0
		for at := first; ; at += step {
			o, wrong := try(traced{Class: change, At: at, Fault: fault})
			if o.Hit == "" {
				break
			}
			tried++
			if len(wrong) > 0 {
				bad++
				c.t.Errorf("%s at call %d (%s), exit status %d:\n  %s", fault, at, o.Hit, o.Code, strings.Join(wrong, "\n  "))
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

// trySend breaks a send, goes on with it, or sends anew where no code was told, and has
// it received.
func (c *crossing) trySend(job traced) (o outcome, wrong []string) {
	c.t.Helper()
	c.reset()
	job.Args = append([]string{binary}, c.args...)
	o, said := c.tracedRun(job)
	if job.At > 0 && o.Hit == "" {
		return o, nil
	}
	fail := func(format string, args ...any) { wrong = append(wrong, fmt.Sprintf(format, args...)) }
	if strings.HasPrefix(o.Hit, "hangs") {
		fail("it does not end")
	}
	(&experiment{lab: c.lab}).ageLocks()
	if d := c.look().differs(c.from, true); len(d) > 0 {
		fail("sending changed %v", d)
	}
	again := c.args
	if code := codeLine.FindStringSubmatch(said); code != nil {
		again = []string{"teleport", "send", "--again", code[1], "--to", "origin"}
	} else if o.Code == 0 {
		fail("no code was told")
	}
	cmd := c.command(binary, again...)
	out, err := cmd.CombinedOutput()
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
	if len(wrong) > 0 {
		wrong = append(wrong, "it said: "+said, "again it said: "+string(out))
	}
	return o, wrong
}

// TestFaultsOfSending breaks `teleport send` in the same way.
func TestFaultsOfSending(t *testing.T) {
	if one := os.Getenv("FAULTS_OF"); one != "" && one != "send" {
		return
	}
	c := leaves(t, t.TempDir())
	c.every(c.trySend)
}
