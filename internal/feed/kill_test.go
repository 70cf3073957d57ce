package feed

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"entire/agent"
)

// TestMain lets the tests run this program as a process that feeds one event.
func TestMain(m *testing.M) {
	if spec := os.Getenv("FEED_TEST_EVENT"); spec != "" {
		feedOnce(spec)
		return
	}
	os.Exit(m.Run())
}

type eventSpec struct {
	Base, Path, Sid string
	Type            agent.EventType
}

func feedOnce(spec string) {
	var e eventSpec
	if err := json.Unmarshal([]byte(spec), &e); err != nil {
		panic(err)
	}
	l := &lab{base: e.Base, path: e.Path, kind: agent.AgentTypeClaudeCode, now: time.Now()}
	if err := l.sid.UnmarshalText([]byte(e.Sid)); err != nil {
		panic(err)
	}
	if err := l.try(e.Type); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
}

// process is a hook of the session's, as a process that can be killed.
func (l *lab) process(kind agent.EventType) *exec.Cmd {
	spec, err := json.Marshal(eventSpec{l.base, l.path, l.sid.String(), kind})
	if err != nil {
		l.t.Fatal(err)
	}
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "FEED_TEST_EVENT="+string(spec))
	return cmd
}

// TestKilledProcesses kills hooks at random moments while the transcript grows.
func TestKilledProcesses(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	rng := rand.New(rand.NewPCG(1, 2))
	killed := 0
	for i := range 60 {
		l.say(fmt.Sprintf("prompt %d", i))
		cmd := l.process(agent.TurnEnd)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(rng.IntN(14000)) * time.Microsecond)
		_ = cmd.Process.Kill()
		if cmd.Wait() != nil {
			killed++
		}
	}
	if killed == 0 {
		t.Error("no process was killed in time")
	}
	t.Logf("%d of 60 were killed", killed)
	l.event(agent.SessionEnd)
	l.equals(l.read(l.path))
}

// TestKilledAtEveryInstant goes through the states in which a kill can leave a
// session: the position is the old one, and each file ends anywhere in what was
// being appended.
func TestKilledAtEveryInstant(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.say("one")
	l.event(agent.TurnEnd)
	position := filepath.Join(l.dir(), positionName)
	files := []string{filepath.Join(l.dir(), "messages.jsonl"), filepath.Join(l.dir(), "transcript.jsonl")}
	old := map[string][]byte{}
	for _, f := range append(files, position, filepath.Join(l.dir(), "metadata.json")) {
		old[f] = l.read(f)
	}
	l.say("two")
	l.say("three")
	l.event(agent.TurnEnd)
	whole := map[string][]byte{files[0]: l.read(files[0]), files[1]: l.read(files[1])}
	transcript := l.read(l.path)
	rng := rand.New(rand.NewPCG(3, 4))
	for i := range 120 {
		for f, data := range old {
			if err := os.WriteFile(f, data, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		for n, f := range files {
			added := len(whole[f]) - len(old[f])
			cut := rng.IntN(added + 1)
			switch { // at least once: nothing, all, all but the newline
			case i < 9:
				cut = []int{0, added, added - 1}[(i/(1+2*n))%3]
			case i%2 == 0: // the end of a line, or just before it
				cut = bytes.LastIndexByte(whole[f][len(old[f]):len(old[f])+cut], '\n') + 1 - rng.IntN(2)
			}
			if err := os.WriteFile(f, whole[f][:len(old[f])+max(cut, 0)], 0o600); err != nil {
				t.Fatal(err)
			}
		}
		l.event(agent.TurnEnd)
		l.equals(transcript)
		l.event(agent.TurnEnd)
		if t.Failed() {
			t.Fatalf("in round %d", i)
		}
	}
	if m := l.metadata(); m.TurnCount != 3 || m.MessageCount != 9 {
		t.Errorf("metadata %+v", m)
	}
}

// TestHooksAtOnce: agents run several tools, and their hooks, at the same time.
func TestHooksAtOnce(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	for i := range 8 {
		l.say(fmt.Sprintf("prompt %d", i))
		var group sync.WaitGroup
		for range 3 {
			cmd := l.process(agent.TaskEnd)
			group.Go(func() {
				if out, err := cmd.CombinedOutput(); err != nil {
					t.Errorf("%v: %s", err, out)
				}
			})
		}
		l.say("while they run")
		group.Wait()
	}
	l.event(agent.TurnEnd)
	l.equals(l.read(l.path))
}

// TestBacklog: a long transcript that nobody has seen yet, in steps, with the time
// running out in the middle.
func TestBacklog(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	var text []byte
	for len(text) < 3<<20 {
		text = append(text, l.exchange("go on")...)
	}
	l.append(l.path, text)
	ctx, cancel := context.WithCancel(t.Context())
	f := l.feed()
	lines := 0
	redact := f.Redact
	f.Redact = func(line []byte) []byte {
		if lines++; lines == 2500 {
			cancel()
		}
		return redact(line)
	}
	if err := f.Import(ctx, l.sid, l.kind, l.path, "/work"); err == nil {
		t.Fatal("a cancelled feed reports nothing")
	}
	l.event(agent.TurnEnd)
	l.equals(text)
}
