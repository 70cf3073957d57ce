package restore_test

import (
	"encoding/json"
	"strings"
	"testing"

	"entire/internal/testrepo"
	"entire/strategy/internal/enginetest"
)

func TestTurnCommitLink(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t, testrepo.Files(map[string]string{"a.txt": "one\n"}))
	w.Turn("s1", "please write b", func() {
		w.Write("b.txt", "agent\nline two\n")
		w.Write("a.txt", "one\ntwo\n")
	})
	if got := w.Shadows(); len(got) != 1 {
		t.Fatalf("shadow branches after a turn: %v", got)
	}
	if got := w.State("s1").FilesTouched; strings.Join(got, " ") != "a.txt b.txt" {
		t.Fatalf("files touched: %v", got)
	}
	w.Git("add", "-A")
	cp := w.CommitHooked("work")
	if len(cp) != 12 {
		t.Fatalf("commit carries no checkpoint: %q", w.Git("log", "-1", "--format=%B"))
	}
	if got := w.Shadows(); len(got) != 0 {
		t.Errorf("shadow branches left: %v", got)
	}
	var root struct {
		FilesTouched []string `json:"files_touched"`
		Sessions     []any    `json:"sessions"`
	}
	if err := json.Unmarshal([]byte(w.Metadata(cp, "metadata.json")), &root); err != nil {
		t.Fatal(err)
	}
	if strings.Join(root.FilesTouched, " ") != "a.txt b.txt" || len(root.Sessions) != 1 {
		t.Errorf("summary: %+v", root)
	}
	if got := w.Metadata(cp, "0/full.jsonl"); strings.Count(got, "\n") != 2 || !strings.Contains(got, "please write b") {
		t.Errorf("transcript: %q", got)
	}
	if got := w.Metadata(cp, "0/prompt.txt"); got != "please write b" {
		t.Errorf("prompts: %q", got)
	}
	w.Fsck()
}

func TestUnrelatedCommitKeepsWork(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t, testrepo.Files(map[string]string{"a.txt": "one\n", "human.txt": "x\n"}))
	w.Turn("s1", "write", func() { w.Write("new.txt", "agent made this\n") })
	w.Write("human.txt", "by hand\n")
	w.Git("add", "human.txt")
	if cp := w.CommitHooked("unrelated"); cp != "" {
		t.Fatalf("an unrelated commit was linked to %s", cp)
	}
	if got := w.Points(); len(got) != 1 {
		t.Fatalf("rewind points after an unrelated commit: %+v", got)
	}
	w.Git("add", "-A")
	if cp := w.CommitHooked("related"); cp == "" {
		t.Fatal("the later commit was not linked")
	}
	if got := w.Shadows(); len(got) != 0 {
		t.Errorf("shadow branches left: %v", got)
	}
	w.Fsck()
}

func TestSplitCommitCarriesForward(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	w.Turn("s1", "write", func() {
		w.Write("one.txt", "first file\n")
		w.Write("two.txt", "second file\n")
	})
	w.Git("add", "one.txt")
	first := w.CommitHooked("one")
	w.Git("add", "two.txt")
	second := w.CommitHooked("two")
	if first == "" || second == "" || first == second {
		t.Fatalf("checkpoints %q and %q", first, second)
	}
	for cp, want := range map[string]string{first: "one.txt", second: "two.txt"} {
		if got := w.Metadata(cp, "0/metadata.json"); !strings.Contains(got, want) || strings.Count(got, ".txt\"") != 1 {
			t.Errorf("checkpoint %s lists other files than %s: %s", cp, want, got)
		}
	}
	if got := w.Shadows(); len(got) != 0 {
		t.Errorf("shadow branches left: %v", got)
	}
	w.Fsck()
}

func TestPersonsChangesAreTheirs(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t, testrepo.Files(map[string]string{"a.txt": "one\n"}))
	w.Write("mine.txt", "written before the agent came\n")
	w.Turn("s1", "write", func() { w.Write("b.txt", "agent\n") })
	if got := w.State("s1").FilesTouched; strings.Join(got, " ") != "b.txt" {
		t.Fatalf("files touched: %v", got)
	}
	w.Git("add", "mine.txt")
	if cp := w.CommitHooked("mine"); cp != "" {
		t.Errorf("a person's commit was linked to %s", cp)
	}
}

func TestCommitInMidTurn(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t, testrepo.Files(map[string]string{"a.txt": "one\n"}))
	w.Prompt("s1", "do it and commit")
	w.Write("b.txt", "agent\n")
	w.Git("add", "-A")
	cp := w.CommitHooked("agent commits")
	if cp == "" {
		t.Fatal("a commit in mid-turn was not linked")
	}
	w.Say("s1", "assistant", "one more remark after the commit")
	w.Stop("s1")
	if got := w.Metadata(cp, "0/full.jsonl"); !strings.Contains(got, "one more remark") {
		t.Errorf("the transcript was not completed: %s", got)
	}
	if got := w.State("s1").TurnCheckpointIDs; len(got) != 0 {
		t.Errorf("still to complete: %v", got)
	}
	if got := w.Shadows(); len(got) != 0 {
		t.Errorf("shadow branches left: %v", got)
	}
}

func TestUnbornBranch(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t, testrepo.Unborn())
	w.Turn("s1", "start", func() { w.Write("first.txt", "hello world\n") })
	w.Git("add", "-A")
	if cp := w.CommitHooked("root"); cp == "" {
		t.Fatal("the root commit was not linked")
	}
	if got := w.Shadows(); len(got) != 0 {
		t.Errorf("shadow branches left: %v", got)
	}
	w.Fsck()
}

func TestRewindThereAndBack(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t, testrepo.Files(map[string]string{"a.txt": "one\n", ".gitignore": "secret.env\nbuild/\n"}))
	w.Write("secret.env", "TOKEN=keep\n")
	w.Write("build/out.bin", "\x00\x01")
	w.Turn("s1", "first", func() { w.Write("a.txt", "one\nfirst\n"); w.Write("dir/new.txt", "new file\n") })
	afterFirst := w.Snapshot(".git").Contents()
	w.Turn("s1", "second", func() { w.Remove("dir"); w.Write("a.txt", "second\n"); w.Write("dir", "now a file\n") })
	w.Write("person.txt", "not saved anywhere yet\n")
	afterSecond := w.Snapshot(".git").Contents()
	index, head := w.IndexBytes(), w.Head()
	points := w.Points()
	if len(points) != 2 {
		t.Fatalf("points: %+v", points)
	}
	whole := enginetest.ReadFile(t, w.Transcript("s1"))

	out := w.Rewind(points[1].ID)
	delete(afterFirst, "person.txt")
	enginetest.SameFiles(t, w, afterFirst)
	if len(out.Warnings) > 0 {
		t.Errorf("warnings: %v", out.Warnings)
	}
	cut := enginetest.ReadFile(t, w.Transcript("s1"))
	if len(cut) >= len(whole) || !strings.HasPrefix(whole, cut) {
		t.Errorf("transcript was not cut: %d of %d bytes", len(cut), len(whole))
	}
	if got := w.Points(); len(got) != 2 {
		t.Errorf("later points are gone after a rewind: %+v", got)
	}

	w.Rewind(out.SafetyID)
	enginetest.SameFiles(t, w, afterSecond)
	w.Rewind(points[0].ID)
	if got := enginetest.ReadFile(t, w.Transcript("s1")); got != whole {
		t.Errorf("the conversation did not come back: %d of %d bytes", len(got), len(whole))
	}
	if string(index) != string(w.IndexBytes()) || head != w.Head() {
		t.Error("index or HEAD changed")
	}
	w.Fsck()
}

func TestCommitAfterRewindRecordsThatConversation(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	w.Turn("s1", "first", func() { w.Write("a.txt", "first version\n") })
	w.Turn("s1", "second", func() { w.Write("a.txt", "second version\n"); w.Write("b.txt", "later\n") })
	w.Rewind(w.Points()[1].ID)
	w.Git("add", "-A")
	cp := w.CommitHooked("first only")
	if cp == "" {
		t.Fatal("not linked")
	}
	if got := w.Metadata(cp, "0/full.jsonl"); strings.Contains(got, "second") || !strings.Contains(got, "first") {
		t.Errorf("transcript: %s", got)
	}
	if got := w.Metadata(cp, "0/prompt.txt"); got != "first" {
		t.Errorf("prompts: %q", got)
	}
}

func TestInterruptedTurnIsClosedByTheNext(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	w.Prompt("s1", "first")
	w.Write("a.txt", "made before Esc was pressed\n")
	w.Turn("s1", "second", func() { w.Write("b.txt", "after\n") })
	if got := w.Points(); len(got) != 2 {
		t.Fatalf("points: %+v", got)
	}
	if got := w.State("s1").FilesTouched; strings.Join(got, " ") != "a.txt b.txt" {
		t.Errorf("files touched: %v", got)
	}
}
