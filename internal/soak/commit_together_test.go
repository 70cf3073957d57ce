//go:build soak

package soak

import (
	"fmt"
	"os/exec"
	"strings"
	"testing"
)

const crowd = 16

// Sixteen sessions of one worktree stop and commit at the same moment: every agent's
// file is in a linked commit, and every trailer has its checkpoint.
func TestSoakStopAndCommitTogether(t *testing.T) {
	trailers, lost := 0, 0
	for round := range rounds {
		p := newPlace(t)
		var cmds []*exec.Cmd
		for i := range crowd {
			k := p.talk(i + 1)
			k.prompt()
			k.write(fmt.Sprintf("src/own/%d.txt", i), text(i, 2000))
			k.say(500)
			cmds = append(cmds, k.stopAndCommit(fmt.Sprintf("src/own/%d.txt", i)))
		}
		atOnce(t, cmds)
		said, dangling := p.linked()
		trailers, lost = trailers+said, lost+len(dangling)
		for _, line := range dangling {
			t.Errorf("round %d: %s", round, line)
		}
		if err := p.fsck(true); err != nil {
			t.Errorf("round %d: %v", round, err)
		}
		if t.Failed() {
			report(t, p, "log of the round that failed")
			break
		}
	}
	t.Logf("trailers without a checkpoint: %d of %d", lost, trailers)
}

// stopAndCommit ends the turn and commits a file, again while another commits.
func (k *talk) stopAndCommit(path string) *exec.Cmd {
	k.t.Helper()
	stop := k.stop()
	script := `"$0" hooks claude-code stop
for i in $(seq 100); do
	git add "$1" 2>/dev/null && git commit -q -m "add $1" 2>/dev/null && exit
	git diff --quiet HEAD -- "$1" && git ls-files --error-unmatch "$1" >/dev/null 2>&1 && git cat-file -e "HEAD:$1" 2>/dev/null && exit
	sleep 0.0$i
done
exit 1`
	cmd := k.Command("sh", "-c", script, binary, path)
	cmd.Stdin = stop.Stdin
	return cmd
}

// linked counts the trailers of the history, and names those without a checkpoint and
// the agents' files that are in no linked commit. A commit may be linked without a
// trailer, which a git that keeps the message in the same file has overwritten; and one
// git's index may take back what another has just committed or staged.
func (p *place) linked() (trailers int, wrong []string) {
	p.t.Helper()
	stored := p.Git("ls-tree", "-r", "--name-only", "entire/checkpoints/v1")
	held := map[string]bool{}
	for _, oid := range strings.Fields(p.Git("rev-list", "HEAD", "--", "src/own")) {
		ids := strings.Fields(p.Git("log", "-1", "--format=%(trailers:key=Entire-Checkpoint,valueonly)", oid))
		trailers += len(ids)
		for _, id := range ids {
			if !strings.Contains(stored, id[:2]+"/"+id[2:]+"/metadata.json") {
				wrong = append(wrong, oid+" names "+id+", which is not stored")
			}
		}
		if len(ids) > 0 || strings.Contains(stored, "commits/"+oid[:2]+"/"+oid[2:]+".") {
			for _, path := range strings.Fields(p.Git("show", "--format=", "--name-only", oid)) {
				held[path] = true
			}
		}
	}
	for _, path := range strings.Fields(p.Git("ls-tree", "-r", "--name-only", "HEAD", "src/own")) {
		if !held[path] {
			wrong = append(wrong, path+" is in no linked commit")
		}
	}
	return trailers, wrong
}
