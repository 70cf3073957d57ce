package transcript_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"entire/agent"
	"entire/session"
	"entire/strategy/internal/enginetest"
)

// TestStepIsMadeWhateverTheTranscript: the files are kept even where the
// conversation cannot be read.
func TestStepIsMadeWhateverTheTranscript(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(w *enginetest.World, path string) error{
		"missing":  func(_ *enginetest.World, path string) error { return os.Remove(path) },
		"a folder": func(_ *enginetest.World, path string) error { os.Remove(path); return os.Mkdir(path, 0o755) },
		"empty":    func(_ *enginetest.World, path string) error { return os.Truncate(path, 0) },
		"not JSON": func(_ *enginetest.World, path string) error {
			return os.WriteFile(path, []byte("\x00\xff\nnot json\n{\n"), 0o600)
		},
		"torn": func(_ *enginetest.World, path string) error {
			return os.WriteFile(path, []byte(`{"type":"user"`), 0o600)
		},
		"a pipe": func(w *enginetest.World, path string) error {
			os.Remove(path)
			_, err := w.Command("mkfifo", path).Output()
			return err
		},
		"a 70 MB line": func(_ *enginetest.World, path string) error {
			return os.WriteFile(path, []byte(`{"type":"user","message":{"role":"user","content":"`+strings.Repeat("x", 70<<20)+"\"}}\n"), 0o600)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := enginetest.NewWorld(t, enginetest.SourceFiles()).Hooked()
			path := w.Transcript("s1")
			w.Event(agent.TurnStart, "s1", func(ev *agent.Event) { ev.Prompt = "write" })
			if err := spoil(w, path); err != nil {
				t.Fatal(err)
			}
			w.Write("a.txt", "agent\n")
			w.Event(agent.TurnEnd, "s1", nil)
			if p := w.Points(); len(p) != 1 {
				t.Fatalf("points: %+v", p)
			}
			if st := w.StateOf("s1"); st.Phase != session.PhaseIdle || w.Touched("s1") != "a.txt" {
				t.Errorf("state: %+v", st)
			}
			if cp := w.GitCommit("-a", "-m", "work"); cp == "" || w.Slots(cp)["s1"] == nil {
				t.Errorf("checkpoint %q", cp)
			}
			w.Event(agent.SessionEnd, "s1", nil)
		})
	}
}

func TestTornLineIsTakenWhenItIsWhole(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t, enginetest.SourceFiles()).Hooked()
	w.Prompt("s1", "write")
	w.Write("a.txt", "agent\n")
	f, err := os.OpenFile(w.Transcript("s1"), os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	fmt.Fprint(f, `{"type":"assistant","message":{"role":"assistant","content":"first half`)
	w.Event(agent.TurnEnd, "s1", nil)
	fmt.Fprint(f, `, second half"}}`+"\n")
	cp := w.GitCommit("-a", "-m", "work")
	if got := w.Metadata(cp, "0/full.jsonl"); strings.Count(got, "first half, second half") != 1 {
		t.Errorf("transcript: %q", got)
	}
}

func TestLinesOfTenMegabytes(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t, enginetest.SourceFiles()).Hooked()
	w.Prompt("s1", "write")
	w.Say("s1", "assistant", strings.Repeat("word ", 2<<20))
	w.Say("s1", "assistant", "after the long line")
	w.Write("a.txt", "agent\n")
	w.Stop("s1")
	cp := w.GitCommit("-a", "-m", "work")
	dir := "entire/checkpoints/v1:" + cp[:2] + "/" + cp[2:] + "/0"
	var size int
	for _, name := range strings.Fields(w.Git("ls-tree", "--name-only", dir)) {
		if strings.HasPrefix(name, "full.jsonl") {
			size += len(w.Git("show", dir+"/"+name))
		}
	}
	if size < 10<<20 {
		t.Errorf("%d bytes stored", size)
	}
	w.Fsck()
}

// TestTranscriptThatVanishesIsNotForgotten: what was stored before a transcript
// was emptied goes into the checkpoint.
func TestTranscriptThatVanishesIsNotForgotten(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(string) error{
		"removed": os.Remove,
		"emptied": func(path string) error { return os.Truncate(path, 0) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := enginetest.NewWorld(t, enginetest.SourceFiles()).Hooked()
			w.Turn("s1", "write it", func() { w.Write("a.txt", "agent\n") })
			if err := spoil(w.Transcript("s1")); err != nil {
				t.Fatal(err)
			}
			cp := w.GitCommit("-a", "-m", "work")
			if got := w.Metadata(cp, "0/full.jsonl"); !strings.Contains(got, "write it") {
				t.Errorf("transcript: %q", got)
			}
		})
	}
}

func TestRewrittenTranscriptIsReadAnew(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t, enginetest.SourceFiles()).Hooked()
	for i := range 3 {
		w.Turn("s1", fmt.Sprintf("old prompt %d", i), func() { w.Write("a.txt", fmt.Sprintf("%d\n", i)) })
	}
	first := w.GitCommit("-a", "-m", "first")
	if err := os.Truncate(w.Transcript("s1"), 0); err != nil {
		t.Fatal(err)
	}
	w.Say("s1", "user", "a new history")
	w.Turn("s1", "and a new prompt", func() { w.Write("a.txt", "new\n") })
	cp := w.GitCommit("-a", "-m", "second")
	if got := w.Metadata(cp, "0/full.jsonl"); strings.Contains(got, "old prompt") || !strings.Contains(got, "a new history") || !strings.Contains(got, "and a new prompt") {
		t.Errorf("transcript: %s", got)
	}
	if got := w.Metadata(first, "0/full.jsonl"); !strings.Contains(got, "old prompt 2") {
		t.Errorf("the earlier checkpoint: %s", got)
	}
	w.Fsck()
}

func TestShrunkTranscriptLeavesNoOldChunks(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t, enginetest.SourceFiles())
	w.Prompt("s1", "long")
	for i := range 40 {
		w.Say("s1", "assistant", strings.Repeat(fmt.Sprintf("word%d ", i), 2000))
	}
	w.Write("a.txt", "first\n")
	w.Stop("s1")
	ref := w.Shadows()[0]
	if got := w.Git("ls-tree", "-r", "--name-only", ref, ".entire/"); !strings.Contains(got, "full.jsonl.003") {
		t.Fatalf("chunks: %s", got)
	}
	if err := os.Truncate(w.Transcript("s1"), 0); err != nil {
		t.Fatal(err)
	}
	w.Turn("s1", "short", func() { w.Write("a.txt", "second\n") })
	if got := w.Git("ls-tree", "-r", "--name-only", ref, ".entire/"); strings.Contains(got, "full.jsonl.0") {
		t.Errorf("chunks: %s", got)
	}
}

// TestFinalisationIsTriedAgain: a checkpoint made in mid-turn gets the end of
// its transcript at whatever event finds that it can.
func TestFinalisationIsTriedAgain(t *testing.T) {
	t.Parallel()
	for name, next := range map[string]func(*enginetest.World){
		"at the next stop": func(w *enginetest.World) { w.Stop("s1") },
		"at the next prompt": func(w *enginetest.World) {
			w.Event(agent.TurnStart, "s1", func(ev *agent.Event) { ev.Prompt = "next" })
		},
		"at session end":     func(w *enginetest.World) { w.Event(agent.SessionEnd, "s1", nil) },
		"at the next commit": func(w *enginetest.World) { w.Write("z", "z\n"); w.Git("add", "z"); w.GitCommit("-m", "z") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := enginetest.NewWorld(t, enginetest.SourceFiles()).Hooked()
			w.Prompt("s1", "do it and commit")
			w.Write("a.txt", "agent\n")
			cp := w.GitCommit("-a", "-m", "by the agent")
			w.Say("s1", "assistant", "the last words")
			// The transcript cannot be read for a while.
			path := w.Transcript("s1")
			if err := os.Rename(path, path+".away"); err != nil {
				t.Fatal(err)
			}
			if err := os.Mkdir(path, 0o755); err != nil {
				t.Fatal(err)
			}
			w.Event(agent.TurnEnd, "s1", nil)
			if st := w.StateOf("s1"); len(st.TurnCheckpointIDs) != 1 || st.Phase != session.PhaseIdle {
				t.Fatalf("state: %+v", st)
			}
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
			if err := os.Rename(path+".away", path); err != nil {
				t.Fatal(err)
			}
			next(w)
			if got := w.Metadata(cp, "0/full.jsonl"); !strings.Contains(got, "the last words") {
				t.Errorf("not completed: %s", got)
			}
			if st := w.StateOf("s1"); len(st.TurnCheckpointIDs) != 0 {
				t.Errorf("still to complete: %v", st.TurnCheckpointIDs)
			}
		})
	}
}
