//go:build soak

package soak

import (
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"entire/internal/testrepo"
)

// checkpointsEach is how many checkpoints each clone writes before they exchange.
var checkpointsEach = number("SOAK_CHECKPOINTS", 50)

const metadata = "entire/checkpoints/v1"

// A pair is two clones of one bare repository.
type pair struct {
	t    testing.TB
	dir  string // holds a, b and bare.git
	a, b *testrepo.Repo
	bare string
}

func (p *pair) clones() []*testrepo.Repo { return []*testrepo.Repo{p.a, p.b} }

// run runs a command in a clone; a push or fetch must never fail here.
func run(t testing.TB, r *testrepo.Repo, name string, args ...string) string {
	t.Helper()
	cmd := r.Command(name, args...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s in %s: %v\n%s", name, strings.Join(args, " "), filepath.Base(r.Dir), err, out)
	}
	return string(out)
}

// newPair makes two clones that agreed to their remote and have one checkpoint in
// common.
func newPair(t testing.TB) *pair {
	t.Helper()
	first := newPlace(t)
	p := &pair{t: t, dir: filepath.Dir(first.Dir), a: first.Repo}
	p.bare = filepath.Join(p.dir, "bare.git")
	p.a.Git("init", "-q", "--bare", p.bare)
	p.a.Git("remote", "add", "origin", p.bare)
	first.entire("push", "--agree", "origin")
	k := first.talk(1)
	work(k, 0)
	run(t, p.a, "git", "push", "-u", "origin", "main")
	p.a.Git("clone", "-q", p.bare, filepath.Join(p.dir, "b"))
	p.b = p.a.In("../b")
	run(t, p.b, binary, "enable", "--agent", "claude-code", "--telemetry=false", "--push-to", "origin")
	p.b.Git("switch", "-q", "-c", "side")
	return p
}

// work is a turn and a commit, which every third time is made by the agent in the
// middle of the turn.
func work(k *talk, n int) (checkpoint string) {
	k.t.Helper()
	k.prompt()
	k.write(fmt.Sprintf("src/%s/%d.txt", k.id[:8], n), text(n, 800))
	k.say(3000)
	commit := func() {
		k.Git("add", "src")
		k.Git("commit", "-q", "-m", fmt.Sprintf("work %d", n))
	}
	if n%3 == 2 {
		commit()
		k.say(2000)
	}
	if out, err := k.stop().CombinedOutput(); err != nil {
		k.t.Fatalf("stop: %v\n%s", err, out)
	}
	if n%3 != 2 {
		commit()
	}
	cp := k.Git("log", "-1", "--format=%(trailers:key=Entire-Checkpoint,valueonly)")
	if cp == "" {
		k.t.Fatalf("commit %d of %s is not linked", n, k.id)
	}
	return cp
}

// stored are the checkpoints of a branch with the trees that hold them.
func stored(r *testrepo.Repo, args ...string) map[string]string {
	trees := map[string]string{}
	for _, line := range strings.Split(r.Git(append(args, "ls-tree", "-rdt", metadata)...), "\n") {
		meta, path, ok := strings.Cut(line, "\t")
		if ok && strings.Count(path, "/") == 1 && len(path) == 13 {
			trees[strings.Replace(path, "/", "", 1)] = strings.Fields(meta)[2]
		}
	}
	return trees
}

// copied is the pair in another folder, where a run of its own can be made.
func (p *pair) copied(name string) *pair {
	p.t.Helper()
	dir := filepath.Join(p.t.TempDir(), name)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		p.t.Fatal(err)
	}
	for _, r := range []string{p.a.Dir, p.b.Dir, p.bare} {
		if out, err := exec.Command("cp", "-r", r, dir).CombinedOutput(); err != nil {
			p.t.Fatalf("copy: %v\n%s", err, out)
		}
	}
	rel, err := filepath.Rel(p.a.Dir, dir)
	if err != nil {
		p.t.Fatal(err)
	}
	c := &pair{t: p.t, dir: dir, a: p.a.In(filepath.Join(rel, filepath.Base(p.a.Dir))), b: p.a.In(filepath.Join(rel, "b")), bare: filepath.Join(dir, "bare.git")}
	for _, r := range c.clones() {
		r.Git("remote", "set-url", "origin", c.bare)
		run(c.t, r, binary, "enable", "--push-to", "origin")
	}
	return c
}

// orders are all permutations of list.
func orders(list []string) [][]string {
	if len(list) == 0 {
		return [][]string{nil}
	}
	var all [][]string
	for i := range list {
		rest := append(slices.Clone(list[:i]), list[i+1:]...)
		for _, order := range orders(rest) {
			all = append(all, append([]string{list[i]}, order...))
		}
	}
	return all
}

// step does one of the operations, as "a push".
func (p *pair) step(op string) {
	p.t.Helper()
	r := p.a
	if strings.HasPrefix(op, "b") {
		r = p.b
	}
	r.Git("commit", "-q", "--allow-empty", "-m", "by hand: "+op) // so that there is something to push
	switch op[2:] {
	case "push":
		run(p.t, r, "git", "push", "origin", "HEAD")
	case "fetch":
		run(p.t, r, "git", "fetch", "-q", "origin")
	case "sync":
		run(p.t, r, binary, "push")
	}
}

// check insists that both clones and the remote have one branch with all of want.
func (p *pair) check(order []string, want map[string]string) {
	p.t.Helper()
	tip := p.a.Git("rev-parse", metadata)
	for _, other := range []string{p.b.Git("rev-parse", metadata), p.a.Git("--git-dir", p.bare, "rev-parse", metadata)} {
		if other != tip {
			p.t.Errorf("%v: ends with %s and %s", order, tip, other)
		}
	}
	for _, r := range p.clones() {
		got := stored(r)
		for cp, tree := range want {
			if got[cp] != tree {
				p.t.Errorf("%v: checkpoint %s is %s in %s, want %s", order, cp, got[cp], r.Dir, tree)
			}
		}
		if len(got) != len(want) {
			p.t.Errorf("%v: %d checkpoints, want %d", order, len(got), len(want))
		}
		r.Fsck()
	}
	if out, err := p.a.TryGit("--git-dir", p.bare, "fsck", "--no-dangling", "--no-progress", "--strict"); err != nil {
		p.t.Errorf("%v: fsck of the remote: %v %s", order, err, out)
	}
}

// Two clones write checkpoints apart, and push and fetch in every order: both end
// with the same commit, and everything that either wrote is in it.
func TestSoakExchange(t *testing.T) {
	p := newPair(t)
	want := map[string]string{}
	began := time.Now()
	for i, r := range p.clones() {
		k := (&place{Repo: r, t: t, logged: map[string]int{}}).talk(i + 2)
		var last string
		for n := range checkpointsEach {
			last = work(k, n+1)
		}
		if err := k.complete(metadata + ":" + last[:2] + "/" + last[2:] + "/0/"); err != nil {
			t.Error(err)
		}
		for cp, tree := range stored(r) {
			want[cp] = tree
		}
		hashed(t, k)
	}
	if len(want) != 2*checkpointsEach+1 {
		t.Fatalf("%d checkpoints, want %d", len(want), 2*checkpointsEach+1)
	}
	t.Logf("%d checkpoints in %s", len(want), time.Since(began).Round(time.Second))
	all := orders([]string{"a push", "b push", "a fetch", "b fetch"})
	all = append(all, orders([]string{"a sync", "b push", "b sync", "a push"})...)
	for i, order := range all {
		c := p.copied(fmt.Sprint("run", i))
		for _, op := range order {
			c.step(op)
		}
		for _, op := range []string{"a sync", "b sync", "a sync"} {
			c.step(op)
		}
		c.check(order, want)
		merges := c.a.Git("rev-list", "--merges", "--count", metadata)
		if merges != "1" {
			t.Errorf("%v: %s merges, want 1", order, merges)
		}
		_ = os.RemoveAll(c.dir)
	}
	t.Logf("%d orders in %s", len(all), time.Since(began).Round(time.Second))
}

// hashed insists that every transcript is the one its hash was made of, and that
// the messages are those of the transcript.
func hashed(t *testing.T, k *talk) {
	t.Helper()
	for cp := range stored(k.Repo) {
		dir := metadata + ":" + cp[:2] + "/" + cp[2:] + "/0/"
		text, err := k.stored(dir)
		if err != nil {
			t.Error(err)
		}
		if got := fmt.Sprintf("sha256:%x", sha256.Sum256([]byte(text))); got != k.Git("cat-file", "blob", dir+"content_hash.txt") {
			t.Errorf("checkpoint %s: transcript has %s", cp, got)
		}
		messaged(t, k.Repo, cp)
	}
}
