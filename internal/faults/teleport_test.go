//go:build unix

package faults

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"entire/internal/testrepo"
)

// crossing is a session on its way between two machines, both below the lab's root
// with the remote that they share.
type crossing struct {
	*lab           // where the command under test runs
	other *lab     // the other machine
	args  []string // of that command
	code  string   // to be received
	from  world
	want  arrived // what is there once it is received
}

// arrived is all that receiving brings, as this machine's commands show it.
type arrived struct {
	Files    world
	Messages string
	Kept     string // the agent's records in the store
	Live     string // and where the agent looks for them
	Points   []string
	Trash    string
	Parcels  string // here, and at the remote
	Remote   string
}

// newMachine makes a machine with no clone yet.
func newMachine(t *testing.T, parent, name string) *lab {
	t.Helper()
	root := filepath.Join(parent, "live")
	l := &lab{t: t, root: root, pristine: filepath.Join(parent, "pristine"), repo: filepath.Join(root, name, "repo")}
	home := filepath.Join(root, name, "home")
	l.talk = filepath.Join(home, ".claude/projects", regexp.MustCompile("[^A-Za-z0-9]").ReplaceAllString(l.repo, "-"), session+".jsonl")
	l.ok(os.MkdirAll(filepath.Dir(l.talk), 0o755))
	l.ok(os.WriteFile(filepath.Join(home, ".gitconfig"), []byte("[user]\n name = P\n email = p@example.com\n[init]\n defaultBranch = main\n[gc]\n auto = 0\n[maintenance]\n auto = false\n"), 0o644))
	l.env = append(testrepo.Environ(home), "XDG_DATA_HOME="+filepath.Join(home, "data"), "GOMAXPROCS=2")
	return l
}

// clones makes a machine's clone of what they share.
func (l *lab) clones() {
	l.t.Helper()
	cmd := exec.Command("git", "clone", "-q", filepath.Join(l.root, "shared.git"), l.repo)
	cmd.Env = l.env
	l.ok(cmd.Run())
}

// newMachines makes two machines with a clone each; the first one has a session.
func newMachines(t *testing.T, parent string) (one, two *lab) {
	t.Helper()
	one, two = newMachine(t, parent, "one"), newMachine(t, parent, "two")
	one.ok(exec.Command("git", "init", "-q", "--bare", "--initial-branch=main", filepath.Join(one.root, "shared.git")).Run())
	one.clones()
	one.write(".gitignore", "*.o\n")
	one.write("a.txt", "a\n")
	one.write("old.txt", "old\n")
	one.entire("enable", "--agent", "claude-code", "--telemetry=false")
	one.git("add", "-A")
	one.git("-c", "core.hooksPath=/dev/null", "commit", "-q", "-m", "base")
	one.git("push", "-q", "origin", "HEAD:main")
	two.clones()
	two.entire("enable", "--agent", "claude-code", "--telemetry=false")
	one.turn("first", func() {
		one.write("a.txt", "first\n")
		one.write("deep/new.txt", "new\n")
		one.ok(os.Symlink("a.txt", one.path("link")))
		one.ok(os.Remove(one.path("old.txt")))
	})
	return one, two
}

// sends carries a session to the other machine and returns its code.
func (l *lab) sends(to string) string {
	l.t.Helper()
	var said struct{ Code string }
	l.ok(json.Unmarshal([]byte(l.entire("teleport", "send", "--with-code", "--json", "--to", to)), &said))
	return said.Code
}

// arrives is a session that comes as a file to where nothing of it is.
func arrives(t *testing.T, parent string) *crossing {
	one, two := newMachines(t, parent)
	file := filepath.Join(one.root, "it.teleport")
	code := one.sends(file)
	return (&crossing{lab: two, other: one, code: code, args: []string{"teleport", "receive", file, code}}).ready()
}

// comesHome is a session that went to the other machine, went on there, and comes
// back through the remote.
func comesHome(t *testing.T, parent string) *crossing {
	one, two := newMachines(t, parent)
	two.entire("teleport", "receive", one.sends("origin"))
	two.lines = one.lines
	two.turn("second", func() {
		two.write("a.txt", "second\n")
		two.write("more.txt", "more\n")
		two.ok(os.Remove(two.path("deep/new.txt")))
	})
	code := two.sends("origin")
	return (&crossing{lab: one, other: two, code: code, args: []string{"teleport", "receive", code}}).ready()
}

// ready keeps what there is for every experiment, and finds what it leads to.
func (c *crossing) ready() *crossing {
	c.t.Helper()
	c.copy(c.root, c.pristine)
	c.from = c.look()
	c.entire(c.args...)
	c.want = c.arrived()
	sent := c.other.look()
	sent[".claude/settings.json"] = c.want.Files[".claude/settings.json"] // committed, and of another mode where it was made
	if d := c.want.Files.differs(sent, false); len(d) > 0 || c.want.Live == "" || c.want.Live != c.want.Kept {
		c.t.Fatalf("without any fault it did not arrive: %v are otherwise; the agent has\n%s\nand the store\n%s", d, c.want.Live, c.want.Kept)
	}
	return c
}

func (c *crossing) arrived() arrived {
	c.t.Helper()
	got := arrived{Files: c.look(), Parcels: c.git("for-each-ref", "refs/entire/teleport"), Remote: c.run("git", "--git-dir", filepath.Join(c.root, "shared.git"), "for-each-ref")}
	show := func(args ...string) string {
		out, _ := c.command(binary, append([]string{"sessions"}, args...)...).Output()
		return string(out)
	}
	got.Messages, got.Kept = show("show", session, "--messages", "--json"), show("show", session, "--raw")
	if live, err := os.ReadFile(c.talk); err == nil {
		got.Live = string(live)
	}
	var points []struct{ Message, Kind string }
	c.ok(json.Unmarshal([]byte(c.entire("rewind", "--list")), &points))
	for _, p := range points {
		if p.Kind != "safety" {
			got.Points = append(got.Points, p.Kind+" "+p.Message)
		}
	}
	var trash []struct {
		ID       string `json:"session_id"`
		Messages int    `json:"message_count"`
	}
	c.ok(json.Unmarshal([]byte(show("list", "--deleted", "--json")), &trash))
	got.Trash = fmt.Sprint(trash)
	return got
}

// differs says what of it is otherwise.
func (a arrived) differs(is arrived) (wrong []string) {
	if d := is.Files.differs(a.Files, false); len(d) > 0 {
		wrong = append(wrong, fmt.Sprintf("files: %v", d))
	}
	for _, part := range [][3]string{{"messages", a.Messages, is.Messages}, {"records", a.Kept, is.Kept}, {"the agent's records", a.Live, is.Live},
		{"points", strings.Join(a.Points, "\n"), strings.Join(is.Points, "\n")}, {"trash", a.Trash, is.Trash}, {"parcels here", a.Parcels, is.Parcels},
		{"remote", a.Remote, is.Remote}} {
		if part[1] != part[2] {
			wrong = append(wrong, fmt.Sprintf("%s: want\n%s\nhave\n%s", part[0], part[1], part[2]))
		}
	}
	return wrong
}

// TestTeleportTwice has several processes receive the same code at once: one does.
func TestTeleportTwice(t *testing.T) {
	t.Parallel()
	one, two := newMachines(t, t.TempDir())
	three := newMachine(t, filepath.Dir(one.root), "three")
	three.clones()
	three.entire("enable", "--agent", "claude-code", "--telemetry=false")
	code := one.sends("origin")
	type end struct {
		at   *lab
		said string
		err  error
	}
	ends := make(chan end)
	all := []*lab{two, three, two, three, two}
	for _, l := range all {
		go func() {
			out, err := l.command(binary, "teleport", "receive", code).CombinedOutput()
			ends <- end{l, string(out), err}
		}()
	}
	var winner *lab
	for range all {
		e := <-ends
		switch {
		case e.err == nil && winner != nil:
			t.Errorf("two received it, the second one said:\n%s", e.said)
		case e.err == nil:
			winner = e.at
		case !strings.Contains(e.said, "is running") && !strings.Contains(e.said, "received elsewhere meanwhile") && !strings.Contains(e.said, "nothing is there under this code") || !strings.Contains(e.said, "hint: "):
			t.Errorf("one that did not receive it said:\n%s", e.said)
		}
	}
	if winner == nil {
		t.Fatal("nobody received it")
	}
	for _, l := range []*lab{two, three} {
		var list []struct {
			Messages int `json:"messages"`
		}
		l.ok(json.Unmarshal([]byte(l.entire("sessions", "list", "--json")), &list))
		if want := map[bool]int{true: 1}[l == winner]; len(list) != want {
			t.Errorf("%d sessions, want %d: %v", len(list), want, list)
		}
		if now := l.look(); (now["deep/new.txt"].Content == "new\n") != (l == winner) {
			t.Errorf("the files of one are %v", now)
		}
	}
}

// TestTeleportWhereALockWasLeft sends to a remote where a git that was killed left its
// lock, which nobody but the remote's owner can take away: a new code gets through.
func TestTeleportWhereALockWasLeft(t *testing.T) {
	t.Parallel()
	one, two := newMachines(t, t.TempDir())
	code := one.sends("origin")
	ref := strings.TrimSpace(one.run("git", "--git-dir", filepath.Join(one.root, "shared.git"), "for-each-ref", "--format=%(refname)", "refs/entire/teleport/"))
	one.run("git", "--git-dir", filepath.Join(one.root, "shared.git"), "update-ref", "-d", ref)
	lock := filepath.Join(one.root, "shared.git", filepath.FromSlash(ref)) + ".lock"
	one.ok(os.MkdirAll(filepath.Dir(lock), 0o755))
	one.ok(os.WriteFile(lock, nil, 0o644))
	out, err := one.command(binary, "teleport", "send", "--again", code, "--to", "origin").CombinedOutput()
	if err == nil || !strings.Contains(string(out), "the ref is locked there\nhint: send it again") || !strings.Contains(string(out), ref+".lock") {
		t.Fatalf("%v: %s", err, out)
	}
	two.entire("teleport", "receive", one.sends("origin"))
	if d := two.look().differs(one.look(), false); len(d) > 1 { // the agent's settings, which are committed
		t.Errorf("%v did not arrive as they were", d)
	}
}
