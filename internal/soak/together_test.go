//go:build soak

package soak

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"entire/internal/testrepo"
)

const together = 8

// atOnce starts all commands, then waits for all.
func atOnce(t testing.TB, cmds []*exec.Cmd) {
	t.Helper()
	var wg sync.WaitGroup
	for _, cmd := range cmds {
		wg.Add(1)
		go func() {
			defer wg.Done()
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%s: %v\n%s", strings.Join(cmd.Args[1:], " "), err, out)
			}
		}()
	}
	wg.Wait()
}

func (p *place) shadow() string {
	p.t.Helper()
	var out []string
	for _, ref := range strings.Fields(p.Git("for-each-ref", "--format=%(refname)", "refs/heads/entire/")) {
		if !strings.HasPrefix(ref, "refs/heads/entire/checkpoints/") {
			out = append(out, ref)
		}
	}
	if len(out) != 1 {
		p.t.Fatalf("shadow branches: %v", out)
	}
	return out[0]
}

func countBySession(p *place, ref string) map[string]int {
	got := map[string]int{}
	for _, sid := range strings.Fields(p.Git("log", "--format=%(trailers:key=Entire-Session,valueonly)", ref)) {
		got[sid]++
	}
	return got
}

// Eight sessions of one worktree stop at the same moment, again and again: each
// has its step every time.
func TestSoakStopsTogether(t *testing.T) {
	p := newPlace(t)
	var talks []*talk
	for i := range together {
		talks = append(talks, p.talk(i+1))
	}
	for round := range rounds {
		var cmds []*exec.Cmd
		for i, k := range talks {
			k.prompt()
			k.write(fmt.Sprintf("src/own/%d.txt", i), text(round, 2000))
			k.say(2000)
			cmds = append(cmds, k.stop())
		}
		atOnce(t, cmds)
	}
	ref := p.shadow()
	got, total := countBySession(p, ref), 0
	for i, k := range talks {
		total += got[k.id]
		if got[k.id] != rounds {
			t.Errorf("session %d has %d steps, want %d", i, got[k.id], rounds)
		}
		if err := k.complete(ref + ":.entire/metadata/" + k.id + "/"); err != nil {
			t.Errorf("session %d: %v", i, err)
		}
	}
	for i := range talks {
		path := fmt.Sprintf("src/own/%d.txt", i)
		if p.Git("cat-file", "blob", ref+":"+path) != strings.TrimRight(p.Read(path), "\n") {
			t.Errorf("%s is not in the last step as it stands", path)
		}
	}
	if err := p.fsck(true); err != nil {
		t.Error(err)
	}
	report(t, p, fmt.Sprintf("steps kept: %d of %d", total, together*rounds))
}

func report(t testing.TB, p *place, line string) {
	t.Helper()
	t.Log(line)
	seen := map[string]int{}
	for _, c := range p.complaints() {
		seen[c]++
	}
	for c, n := range seen {
		t.Logf("logged %d times: %s", n, c)
	}
}

// Eight linked worktrees commit at the same moment: every commit is linked, and
// every checkpoint is on the metadata branch.
func TestSoakCommitsTogether(t *testing.T) {
	p := newPlace(t)
	var talks []*talk
	for i := range together {
		dir := filepath.Join(filepath.Dir(p.Dir), fmt.Sprintf("wt%d", i))
		p.Git("worktree", "add", "-q", "-b", fmt.Sprintf("topic%d", i), dir)
		linked := p.In(filepath.Join("..", filepath.Base(dir)))
		talks = append(talks, (&place{Repo: linked, t: t, logged: map[string]int{}}).talk(i+1))
	}
	want := map[string]*talk{}
	for round := range rounds {
		var cmds []*exec.Cmd
		for _, k := range talks {
			k.prompt()
			k.write("src/d1/f1.txt", text(round, 2000)+k.id)
			k.say(2000)
			if out, err := k.stop().CombinedOutput(); err != nil {
				t.Fatalf("stop: %v\n%s", err, out)
			}
			k.Git("add", "-A")
			cmds = append(cmds, k.Command("git", "commit", "-q", "-m", "work"))
		}
		atOnce(t, cmds)
		for _, k := range talks {
			id := k.Git("log", "-1", "--format=%(trailers:key=Entire-Checkpoint,valueonly)")
			if id == "" {
				t.Errorf("round %d: a commit of %s is not linked", round, k.Dir)
				continue
			}
			want[id] = k
		}
	}
	kept := 0
	for id, k := range want {
		spec := "entire/checkpoints/v1:" + id[:2] + "/" + id[2:] + "/0/"
		if got, err := k.stored(spec); err != nil || got == "" {
			t.Errorf("checkpoint %s: %v", id, err)
			continue
		}
		kept++
	}
	commits := strings.Count(p.Git("log", "--format=%s", "entire/checkpoints/v1"), "Checkpoint: ")
	if commits != together*rounds {
		t.Errorf("%d commits on the metadata branch, want %d", commits, together*rounds)
	}
	if err := p.fsck(true); err != nil {
		t.Error(err)
	}
	for _, k := range talks {
		report(t, k.place, "worktree "+filepath.Base(k.Dir))
	}
	t.Logf("checkpoints kept: %d of %d", kept, together*rounds)
}

// Eight subagents of one session end at the same moment: the session's state
// knows the files of all of them.
func TestSoakStatesTogether(t *testing.T) {
	p := newPlace(t)
	k := p.talk(1)
	k.prompt()
	touched := map[string]bool{}
	for round := range rounds {
		var before, after []*exec.Cmd
		for i := range together {
			path := fmt.Sprintf("src/task/%d-%d.txt", round, i)
			touched[path] = true
			task := map[string]any{"tool_name": "Task", "tool_use_id": fmt.Sprintf("toolu_%d_%d", round, i),
				"tool_input": map[string]any{"subagent_type": "general-purpose", "description": "look around"}}
			before = append(before, k.hook("pre-task", task))
			task["tool_response"] = map[string]any{"agentId": "a1b2c3d4"}
			after = append(after, k.hook("post-task", task))
		}
		atOnce(t, before)
		for i := range together {
			path := fmt.Sprintf("src/task/%d-%d.txt", round, i)
			p.Write(path, text(i, 500))
		}
		k.say(500)
		atOnce(t, after)
	}
	k.say(100)
	atOnce(t, []*exec.Cmd{k.stop()})
	var state struct {
		FilesTouched []string `json:"files_touched"`
	}
	readJSON(t, p.Repo, ".git/entire-sessions/"+k.id+".json", &state)
	kept := 0
	for path := range touched {
		if slices.Contains(state.FilesTouched, path) {
			kept++
		} else {
			t.Errorf("the state does not know %s", path)
		}
	}
	if err := p.fsck(true); err != nil {
		t.Error(err)
	}
	report(t, p, fmt.Sprintf("files known to the state: %d of %d", kept, len(touched)))
}

func readJSON(t testing.TB, r *testrepo.Repo, path string, into any) {
	t.Helper()
	data, err := os.ReadFile(r.Path(path))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, into); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
}
