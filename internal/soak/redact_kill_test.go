//go:build soak && unix

package soak

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// taken is what a rule of the project takes out after it was stored.
const taken = "nightingale-4711"

// TestSoakKilledRewrite kills `entire redact scan --rewrite` at random instants. Whatever the instant, git finds the
// repository sound, every checkpoint is there and fits its hashes, and the same command then takes out the rest.
func TestSoakKilledRewrite(t *testing.T) {
	p := newPlace(t)
	k := p.talk(1)
	for n := range 8 {
		k.prompt()
		k.add("user", map[string]any{"role": "user", "content": fmt.Sprintf("For %s, part %d", taken, n)})
		k.write(fmt.Sprintf("src/d%d/f%d.txt", n%5, n%5), text(n+100, 3000))
		k.say(60_000)
		if out, err := k.stop().CombinedOutput(); err != nil {
			t.Fatalf("stop: %v\n%s", err, out)
		}
		p.Git("add", "-A")
		p.Git("commit", "-q", "-m", fmt.Sprintf("part %d", n))
	}
	p.Write(".entire/settings.local.json", `{"redaction": {"custom_redactions": {"customer": "nightingale-[0-9]+"}}}`)
	was := p.checkpoints()
	before := t.TempDir()
	shell(t, "cp", "-a", p.Home, filepath.Join(before, "home"))
	shell(t, "cp", "-a", p.Dir, filepath.Join(before, "repo"))
	rng, usual, killed := chance(7), time.Duration(0), 0
	total := 11 * rounds
	phases := map[string]int{}
	for n := 0; killed < total && n < 3*total; n++ {
		shell(t, "rm", "-rf", p.Home, p.Dir)
		shell(t, "cp", "-a", filepath.Join(before, "home"), p.Home)
		shell(t, "cp", "-a", filepath.Join(before, "repo"), p.Dir)
		delay := time.Hour
		if usual > 0 {
			delay = time.Duration(rng.Int64N(int64(usual) * 11 / 10))
		}
		start := time.Now()
		cmd := p.rewriting()
		if killAfter(t, cmd, delay, rng.IntN(2) == 0) {
			killed++
		} else {
			usual = time.Since(start)
		}
		if err := p.fsck(true); err != nil {
			t.Errorf("killed after %v: %v", delay, err)
		}
		phases[fmt.Sprintf("texts held by the branch: %v", p.holds())]++
		p.whole(was, delay)
		p.Remove(".git/refs/heads/entire/checkpoints/v1.lock") // a git that was killed leaves it; people remove it
		if out, err := p.rewriting().CombinedOutput(); err != nil && !strings.Contains(string(out), "Left: ") {
			t.Errorf("after a kill at %v: %v\n%s", delay, err, out)
		}
		p.whole(was, delay)
		if p.holds() {
			t.Errorf("after a kill at %v the text stayed on the branch", delay)
		}
		if left := grep(p.Home, p.Path(".git/entire-sessions"), p.Path(".entire/logs")); left != "" {
			t.Errorf("after a kill at %v it is in %s", delay, left)
		}
	}
	t.Logf("killed %d times, the whole takes %v, %v", killed, usual, phases)
}

func (p *place) rewriting() *exec.Cmd {
	return p.Command(binary, "redact", "scan", "--rewrite", "--yes", "--in", "checkpoints,store,state,logs")
}

// checkpoints are the IDs of all checkpoints, in one text.
func (p *place) checkpoints() string {
	return p.Git("log", "--format=%(trailers:key=Entire-Checkpoint,valueonly)", "HEAD")
}

// holds reports whether the branch reaches the text.
func (p *place) holds() bool {
	cmd := p.Command("sh", "-c", "git rev-list --objects entire/checkpoints/v1 | cut -d' ' -f1 | git cat-file --batch | grep -a -q "+taken)
	return cmd.Run() == nil
}

// whole checks that every checkpoint is there, and that its texts fit its hashes.
func (p *place) whole(ids string, delay time.Duration) {
	p.t.Helper()
	for _, cp := range strings.Fields(ids) {
		out, err := p.Command(binary, "explain", "--no-pager", "--checkpoint", cp).CombinedOutput()
		if err != nil || strings.Contains(string(out), "Problem") || !strings.Contains(string(out), "Change the parser") {
			p.t.Errorf("killed after %v: checkpoint %s: %v\n%.2000s", delay, cp, err, out)
		}
	}
}

func grep(paths ...string) string {
	out, _ := exec.Command("grep", append([]string{"-rl", "--exclude=*.jsonl.before*", "--exclude-dir=.claude", taken}, paths...)...).Output()
	return string(out)
}

func shell(t *testing.T, name string, args ...string) {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Stderr = os.Stderr
	if err := cmd.Run(); err != nil {
		t.Fatal(name, args, err)
	}
}
