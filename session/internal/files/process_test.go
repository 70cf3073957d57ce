package files

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"
)

// filesJob is what this test binary does as another process at a session's
// files: args are the session's directory, its folder, and the job's own.
func filesJob(name string, args []string) error {
	m := NewCheckpointManager(args[0], args[1], CheckpointOptions{})
	switch name {
	case "flip": // there and back again, until killed
		for fmt.Println("ready"); ; {
			for _, id := range args[2:] {
				if _, err := m.RewindFiles(id, false); err != nil {
					return err
				}
			}
		}
	case "create": // own files, one after the other, in a checkpoint of all
		for i := range 10 {
			name := args[2] + "-" + strconv.Itoa(i)
			if err := m.CreateCheckpoint("shared", []string{name}); err != nil {
				return err
			}
			if err := os.WriteFile(filepath.Join(args[1], name), []byte(name), 0o600); err != nil {
				return err
			}
			if _, err := m.RewindFiles("own-"+args[2], true); err != nil {
				return err
			}
		}
		return nil
	}
	return systemFilesJob(name, m)
}

func (p fileWorld) job(name string, args ...string) *exec.Cmd {
	p.Helper()
	binary, err := os.Executable()
	must(p.T, err)
	cmd := exec.Command(binary, append([]string{"files", name, p.sessionDir, p.root}, args...)...)
	cmd.Stderr = os.Stderr
	return cmd
}

// TestKilledRewind: whenever a rewind is killed, no file is torn, and the next
// call makes the folder the one it was or the one it should become.
func TestKilledRewind(t *testing.T) {
	t.Parallel()
	p := newFileWorld(t)
	fill := func(letter string) {
		for i := range 30 {
			p.write(fmt.Sprintf("%s%d/common/%d", map[bool]string{true: "", false: letter}[i%3 == 0], i%7, i), strings.Repeat(letter, 1+i*40))
		}
		p.write("turns/"+letter, "x")
	}
	var all []string
	list := func() {
		for path, text := range p.tree() {
			if text != "folder" {
				all = append(all, path)
			}
		}
	}
	fill("a")
	p.write("x", "a file")
	a := p.tree()
	list()
	p.checkpoint("u1", append(all, "x/y")...)
	for path := range a {
		p.remove(strings.Split(path, "/")[0])
	}
	all = nil
	fillB := func() {
		fill("b")
		p.write("x/y", "below a folder")
	}
	// What b makes is announced as well, so that it goes.
	fillB()
	list()
	bTree := p.tree()
	for path := range bTree {
		p.remove(strings.Split(path, "/")[0])
	}
	p.rewind("u1")
	p.wantTree("prepared", a)
	p.checkpoint("u1", all...)
	for path := range a {
		p.remove(strings.Split(path, "/")[0])
	}
	fillB()
	b := p.tree()
	ids := []string{p.rewind("u1").SafetyCheckpoint, "u1"}
	p.wantTree("rewound", a)

	outcomes := map[string]int{}
	inTheMiddle := func() int { return outcomes["dropped"] + outcomes["finished"] }
	for round := 0; round < 40 || inTheMiddle() == 0 && round < 200; round++ {
		cmd := p.job("flip", ids...)
		out, err := cmd.StdoutPipe()
		must(t, err)
		must(t, cmd.Start())
		if _, err := bufio.NewReader(out).ReadString('\n'); err != nil {
			t.Fatalf("round %d: the other process said nothing: %v", round, err)
		}
		time.Sleep(time.Duration(rand.IntN(60_000*(1+round/20))) * time.Microsecond) // longer and longer, where the machine is slow
		must(t, cmd.Process.Kill())
		cmd.Wait()
		for path, text := range p.tree() {
			if name := filepath.Base(path); text != "folder" && !strings.HasPrefix(name, tempPrefix) && text != a[path] && text != b[path] {
				t.Fatalf("round %d: %s is torn: %.40q…", round, path, text)
			}
		}
		said, err := p.Recover(t.Context())
		must(t, err)
		got := p.tree()
		isA, isB := reflect.DeepEqual(got, a), reflect.DeepEqual(got, b)
		switch {
		case !isA && !isB:
			t.Fatalf("round %d: %q, and neither of the two:\n%s", round, said, treeText(got))
		case strings.Contains(said, "dropped"):
			outcomes["dropped"]++
		case strings.Contains(said, "finished"):
			outcomes["finished"]++
		case said == "":
			outcomes["none"]++
		default:
			t.Fatalf("round %d: %q", round, said)
		}
	}
	t.Logf("%v", outcomes)
	if inTheMiddle() == 0 {
		t.Error("no rewind was killed in the middle")
	}
}

// TestCheckpointsOfSeveralProcesses: none is lost.
func TestCheckpointsOfSeveralProcesses(t *testing.T) {
	t.Parallel()
	p := newFileWorld(t)
	var running []*exec.Cmd
	for i := range 4 {
		p.checkpoint(fmt.Sprint("own-", i), "none")
		cmd := p.job("create", strconv.Itoa(i))
		must(t, cmd.Start())
		running = append(running, cmd)
	}
	for _, cmd := range running {
		if err := cmd.Wait(); err != nil {
			t.Error(err)
		}
	}
	c, _, err := p.Manifest("shared")
	must(t, err)
	if len(c.Files) != 40 {
		t.Errorf("%d files of 40", len(c.Files))
	}
	if r := p.rewind("shared"); len(r.FilesChanged) != 40 || len(p.tree()) != 0 {
		t.Errorf("result %+v, left %v", r, p.tree())
	}
}

// TestFailedRewindIsTakenBack: here a folder vanished after the rewind was
// planned.
func TestFailedRewindIsTakenBack(t *testing.T) {
	t.Parallel()
	p := newFileWorld(t)
	p.write("a", "a1")
	p.write("b", "b1")
	p.write("z/x", "x1")
	p.checkpoint("u1", "a", "b", "z/x", "new")
	p.write("a", "a2")
	p.remove("b")
	p.write("new", "n")
	p.write("z/x", "x2")
	before := p.tree()

	w, err := p.begin(t.Context())
	must(t, err)
	all, err := w.Checkpoints(t.Context())
	must(t, err)
	entries, _ := entriesSince(all, "u1")
	steps, err := w.plan(t.Context(), goals(entries))
	must(t, err)
	safety, err := w.makeSafetyCheckpoint(t.Context(), steps)
	must(t, err)
	p.write("z/x", "somebody's, meanwhile")
	before["z/x"] = "644 somebody's, meanwhile"
	err = w.perform(t.Context(), &rewindJournal{Version: 1, Checkpoint: "u1", Safety: safety, Steps: steps})
	if err == nil || !strings.Contains(err.Error(), `"z/x": was changed meanwhile; what was done of it was taken back`) {
		t.Errorf("error %v", err)
	}
	p.wantTree("taken back", before)
	must(t, w.end())
	if said, err := p.Recover(t.Context()); said != "" || err != nil {
		t.Errorf("left over: %q, %v", said, err)
	}
	p.rewind("u1")
}

// TestEditedAfterAKill: what somebody wrote after a rewind was killed is kept
// before that is finished.
func TestEditedAfterAKill(t *testing.T) {
	t.Parallel()
	p := newFileWorld(t)
	p.write("a", "a1")
	p.write("b", "b1")
	p.checkpoint("u1", "a", "b")
	p.write("a", "a2")
	p.write("b", "b2")

	w, err := p.begin(t.Context())
	must(t, err)
	all, err := w.Checkpoints(t.Context())
	must(t, err)
	entries, _ := entriesSince(all, "u1")
	steps, err := w.plan(t.Context(), goals(entries))
	must(t, err)
	safety, err := w.makeSafetyCheckpoint(t.Context(), steps)
	must(t, err)
	j := &rewindJournal{Version: 1, Checkpoint: "u1", Safety: safety, Steps: steps}
	must(t, w.prepare(t.Context(), j))
	j.Placing = true
	must(t, w.writeJournal(j))
	must(t, w.putNew(j.Steps[0]))
	must(t, w.end()) // killed here

	p.write("b", "mine")
	p.checkpoint("u2", "b")
	p.wantTree("finished", map[string]string{"a": "644 a1", "b": "644 b1"})
	all, err = p.Checkpoints(t.Context())
	must(t, err)
	if len(all) != 4 || !strings.HasPrefix(all[2].CheckpointID, safetyPrefix) {
		t.Fatalf("checkpoints %+v", all)
	}
	p.rewind(all[2].CheckpointID)
	p.wantTree("what was written meanwhile", map[string]string{"a": "644 a1", "b": "644 mine"})
	p.rewind(safety)
	p.wantTree("what was there before", map[string]string{"a": "644 a2", "b": "644 b2"})
}
