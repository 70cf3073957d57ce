package engine_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"entire/agent"
	"entire/internal/testrepo"
	"entire/strategy/engine"
	"entire/strategy/internal/enginetest"
	"entire/strategy/maintain"
	"entire/strategy/step"
	"entire/strategy/turn"
)

// A branch that leads to a lost object is set aside by the next hook, which saves
// on top of the newest step that is whole.
func TestBrokenShadowBranch(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ name, lost string }{
		{"the newest step", ""},
		{"its tree", "^{tree}"},
		{"the transcript", ":.entire/metadata/s1/full.jsonl"},
	} {
		for _, kept := range []bool{true, false} {
			name := row.name
			if !kept {
				name += ", without a reflog"
			}
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				w := enginetest.NewWorld(t)
				if !kept {
					w.Git("config", "core.logAllRefUpdates", "false")
				}
				w.Turn("s1", "Write one", func() { w.Write("a.txt", "one\n") })
				w.Turn("s1", "Write two", func() { w.Write("b.txt", "two\n") })
				ref := w.Shadows()[0]
				broken := w.Git("rev-parse", ref)
				w.Lose(ref + row.lost)
				atTip := row.lost == "" || row.lost == "^{tree}"
				if status := w.Reported(); atTip && !slices.ContainsFunc(status, func(p turn.Problem) bool { return p.Kind == "broken-branch" && p.Subject == step.ShortBranch(ref) }) {
					t.Errorf("status before: %+v", status)
				}

				w.Turn("s1", "Write three", func() { w.Write("c.txt", "three\n") })
				if !atTip { // no hook reads that
					w.MendByDoctor()
					w.Turn("s1", "Write four", func() { w.Write("d.txt", "four\n") })
				}
				w.Git("rev-list", "--objects", "--quiet", "--all") // all is there that any ref needs
				for file, text := range map[string]string{"a.txt": "one", "b.txt": "two", "c.txt": "three"} {
					if got := w.Git("show", ref+":"+file); got != text {
						t.Errorf("%s is %q in the newest step", file, got)
					}
				}
				if transcript := w.Git("show", ref+":.entire/metadata/s1/full.jsonl"); !strings.Contains(transcript, "Write one") || !strings.Contains(transcript, "Write three") {
					t.Errorf("transcript: %s", transcript)
				}
				prompts := 0
				for _, p := range w.Points() {
					if strings.HasPrefix(p.Message, "Write one") {
						prompts++
					}
				}
				if salvaged := prompts == 1; salvaged != (kept || row.lost != "") {
					t.Errorf("the first turn is a point: %v", salvaged)
				}
				if log := enginetest.ReadFile(t, w.GitPath("entire/broken.jsonl")); !strings.Contains(log, `"ref":"`+ref) || atTip && !strings.Contains(log, broken) {
					t.Errorf("written down: %s", log)
				}
				if status := w.Reported(); !slices.ContainsFunc(status, func(p turn.Problem) bool { return p.Kind == "was-broken" }) {
					t.Errorf("status after: %+v", status)
				}
				w.Git("add", "-A")
				if cp := w.CommitHooked("all of it"); cp == "" {
					t.Error("the commit is not linked")
				}
			})
		}
	}
}

// A lost file that is still on disk comes back with the next step; one that has
// changed since stays lost, and doctor goes on without it.
func TestLostFileOfAStep(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	w.Turn("s1", "Write one", func() { w.Write("a.txt", "one\n") })
	w.Turn("s1", "Write two", func() { w.Write("a.txt", "two\n") })
	w.Lose(w.Shadows()[0] + ":a.txt")
	w.Turn("s1", "Write b", func() { w.Write("b.txt", "b\n") })
	w.Git("rev-list", "--objects", "--quiet", "--all")
	w.Turn("s1", "Write three", func() { w.Lose(w.Shadows()[0] + ":a.txt"); w.Write("a.txt", "three\n") })
	w.MendByDoctor()
	w.Git("rev-list", "--objects", "--quiet", "--all")
	w.Turn("s1", "Write four", func() { w.Write("c.txt", "four\n") })
	if got := w.Git("show", w.Shadows()[0]+":a.txt"); got != "three" {
		t.Errorf("a.txt is %q", got)
	}
	w.Git("add", "-A")
	if cp := w.CommitHooked("all of it"); cp == "" {
		t.Error("the commit is not linked")
	}
}

// An object that git has lost beside the branches keeps gc from working.
func TestDoctorMendsBrokenRefsBeside(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	lost := w.Git("commit-tree", "-m", "x", w.Git("rev-parse", "HEAD^{tree}"))
	w.Git("update-ref", "refs/entire/undo/"+lost, lost)
	w.Lose(lost)
	w.MendByDoctor()
	if left := w.Git("for-each-ref", "refs/entire"); left != "" {
		t.Errorf("left: %s", left)
	}
	w.Git("gc", "--quiet")
}

// What is damaged is not lost: it may come back from a backup, with the ref.
func TestDamagedStepIsNotSetAside(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	w.Turn("s1", "Write", func() { w.Write("a.txt", "a\n") })
	ref := w.Shadows()[0]
	tip, tree := w.Git("rev-parse", ref), w.Git("rev-parse", ref+"^{tree}")
	w.Lose(tree)
	if err := os.WriteFile(w.GitPath("objects/"+tree[:2]+"/"+tree[2:]), []byte("no object"), 0o444); err != nil {
		t.Fatal(err)
	}
	if maintain.RepairBroken(w.Ctx, w.Engine()) || w.Git("rev-parse", ref) != tip {
		t.Error("a branch was set aside though nothing is lost")
	}
}

// A commit right after its newest step was lost is linked by what was recorded of it.
func TestCommitAfterALostStep(t *testing.T) {
	t.Parallel()
	for _, lost := range []string{"", "^{tree}"} {
		w := enginetest.NewWorld(t)
		w.Turn("s1", "Write one", func() { w.Write("a.txt", "one\n") })
		w.Turn("s1", "Write two", func() { w.Write("b.txt", "two\n") })
		w.Lose(w.Shadows()[0] + lost)
		w.Git("add", "-A")
		if cp := w.CommitHooked("all of it"); cp == "" {
			t.Errorf("lost %q: the commit is not linked", lost)
		}
		w.Git("rev-list", "--objects", "--quiet", "--all")
		w.Turn("s1", "Write three", func() { w.Write("c.txt", "three\n") })
		if n := len(w.Shadows()); n != 1 {
			t.Errorf("lost %q: branches %v", lost, w.Shadows())
		}
	}
}

// A power cut leaves files of objects without a byte. They are lost, not damaged: saving goes on, status says what was
// lost, and every ref can be read again.
func TestEmptiedObjects(t *testing.T) {
	t.Parallel()
	for _, spec := range []string{"", "^{tree}", "entire/checkpoints/v1", "entire/checkpoints/v1^{tree}"} {
		t.Run(spec, func(t *testing.T) {
			t.Parallel()
			w := enginetest.NewWorld(t)
			for _, file := range []string{"a.txt", "b.txt"} {
				w.Turn("s1", "Write "+file, func() { w.Write(file, "by the agent\n") })
				w.Git("add", "-A")
				w.CommitHooked(file)
			}
			w.Turn("s1", "Write one", func() { w.Write("c.txt", "one\n") })
			w.Turn("s1", "Write two", func() { w.Write("d.txt", "two\n") })
			if strings.HasPrefix(spec, "entire/") {
				w.Empty(spec)
			} else {
				w.Empty(w.Shadows()[0] + spec)
				if found := w.Reported(); !slices.ContainsFunc(found, func(p turn.Problem) bool { return p.Kind == "broken-branch" }) {
					t.Errorf("status before: %+v", found)
				}
			}
			w.Turn("s1", "Write three", func() { w.Write("e.txt", "three\n") })
			w.Git("add", "-A")
			if cp := w.CommitHooked("all of it"); cp == "" || !strings.Contains(w.Git("ls-tree", "-r", "--name-only", "entire/checkpoints/v1"), cp[:2]+"/"+cp[2:]+"/metadata.json") {
				t.Errorf("the commit's checkpoint %q is not stored", cp)
			}
			if found := w.Reported(); !slices.ContainsFunc(found, func(p turn.Problem) bool { return p.Kind == "was-broken" }) {
				t.Errorf("status after: %+v", found)
			}
			w.Git("rev-list", "--objects", "--quiet", "--all")
		})
	}
}

// A prune that spares nothing runs all the time, and takes objects before the ref that
// names them is there. One quiet turn later, all is there that any ref needs.
func TestTurnsWhilePruning(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	w.Turn("s1", "Begin", func() { w.Write("begin.txt", "x\n") })
	turns := testrepo.Amount(6, 15)
	stop, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		for {
			select {
			case <-stop:
				return
			default:
				w.TryGit("prune", "--expire=now")
			}
		}
	}()
	failed := 0
	for i := range turns {
		for _, kind := range []agent.EventType{agent.TurnStart, agent.TurnEnd} {
			if kind == agent.TurnEnd {
				w.Write(fmt.Sprintf("file%d.txt", i), strings.Repeat(fmt.Sprintf("%d\n", i), 50))
			}
			ev := agent.Event{Type: kind, Agent: agent.AgentNameClaudeCode, AgentType: agent.AgentTypeClaudeCode, SessionID: enginetest.SessionID(t, "s1"),
				TranscriptPath: w.Transcript("s1"), Dir: w.Dir, Time: w.Now, Prompt: fmt.Sprintf("turn %d", i)}
			w.Say("s1", "user", ev.Prompt)
			if _, err := engine.Handle(w.Ctx, w.Engine(), ev); err != nil {
				failed++
			}
		}
	}
	close(stop)
	<-done
	for _, f := range maintain.Examine(w.Ctx, w.Engine(), func(string, int, int) {}) {
		if f.Kind == "broken-branch" { // deeper than a hook looks
			if _, err := f.Mend(w.Ctx); err != nil {
				t.Fatal(err)
			}
		}
	}
	w.Turn("s1", "Quiet", func() { w.Write("quiet.txt", "x\n") })
	w.Git("rev-list", "--objects", "--quiet", "--all")
	ref := w.Shadows()[0]
	for i := range turns {
		w.Git("cat-file", "-e", fmt.Sprintf("%s:file%d.txt", ref, i))
	}
	if !strings.Contains(w.Git("show", ref+":.entire/metadata/s1/full.jsonl"), fmt.Sprintf("turn %d", turns-1)) {
		t.Error("the transcript is not complete")
	}
	t.Logf("%d events could not be saved at once, %d branches were broken", failed, len(maintain.RecentlyBroken(w.Engine())))
}

// A commit goes on from the newest commit of the metadata branch that is there; the checkpoints before it stay.
func TestLostMetadataTip(t *testing.T) {
	t.Parallel()
	for _, kept := range []bool{true, false} {
		t.Run(fmt.Sprintf("with a reflog: %v", kept), func(t *testing.T) {
			t.Parallel()
			w := enginetest.NewWorld(t)
			w.Git("config", "core.logAllRefUpdates", fmt.Sprint(kept))
			linked := func(text string) string {
				w.Turn("s1", "Write "+text, func() { w.Write("a.txt", text+"\n") })
				w.Git("add", "-A")
				return w.CommitHooked(text)
			}
			const branch = "entire/checkpoints/v1"
			first, lost := linked("one"), linked("two")
			was := w.Git("rev-parse", branch)
			w.Lose(branch)
			if !kept {
				if maintain.RepairBroken(w.Ctx, w.Engine()) || w.Git("rev-parse", branch) != was {
					t.Error("the branch moved, and git may remove what it led to")
				}
				return
			}
			last := linked("three")
			has := w.Git("ls-tree", "-r", "--name-only", branch)
			for cp, want := range map[string]bool{first: true, lost: false, last: true} {
				if got := strings.Contains(has, cp[:2]+"/"+cp[2:]+"/metadata.json"); got != want {
					t.Errorf("checkpoint %s is stored: %v", cp, got)
				}
			}
			if found := w.Examine(); slices.ContainsFunc(found, func(f maintain.Finding) bool { return f.Kind == "metadata-branch" || f.Kind == "broken-branch" }) {
				t.Errorf("doctor finds %+v", found)
			}
			if status := w.Reported(); !slices.ContainsFunc(status, func(p turn.Problem) bool { return p.Kind == "was-broken" }) {
				t.Errorf("status: %+v", status)
			}
		})
	}
}

// A power cut may leave a ref's file without a value. Its reflog has it.
func TestTornRefs(t *testing.T) {
	t.Parallel()
	if os.Getenv("GIT_DEFAULT_REF_FORMAT") == "reftable" {
		t.Skip("refs are in tables, which have no file for each")
	}
	for _, text := range []string{"", strings.Repeat("\x00", 41)} {
		w := enginetest.NewWorld(t)
		w.Turn("s1", "Write one", func() { w.Write("a.txt", "one\n") })
		w.Git("add", "-A")
		first := w.CommitHooked("one")
		w.Turn("s1", "Write two", func() { w.Write("a.txt", "two\n") })
		tear := func(ref string) {
			w.Put(ref, text)
			w.Must(os.Chtimes(w.GitPath(ref), time.Time{}, time.Now().Add(-time.Hour)))
		}
		tear(w.Shadows()[0])
		tear("refs/heads/entire/checkpoints/v1")
		w.Git("add", "-A")
		second := w.CommitHooked("two")
		has := w.Git("ls-tree", "-r", "--name-only", "entire/checkpoints/v1")
		for _, cp := range []string{first, second} {
			if cp == "" || !strings.Contains(has, cp[:2]+"/"+cp[2:]+"/metadata.json") {
				t.Errorf("with %q, checkpoint %q is not stored:\n%s", text, cp, has)
			}
		}
		tear("refs/heads/entire/checkpoints/v1")
		for _, f := range w.Examine() {
			if f.Mend == nil { // the trailers, whose checkpoints come back
				continue
			}
			if _, err := f.Mend(w.Ctx); err != nil {
				t.Errorf("doctor mends %s: %v", f.Kind, err)
			}
		}
		if is := w.Git("ls-tree", "-r", "--name-only", "entire/checkpoints/v1"); is != has {
			t.Errorf("after doctor the branch has\n%s\nwant\n%s", is, has)
		}
	}
}
