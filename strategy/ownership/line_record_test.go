package ownership_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"entire/strategy/internal/enginetest"
)

func TestRecordOfLines(t *testing.T) {
	t.Parallel()
	t.Run("turns", func(t *testing.T) {
		t.Parallel()
		w := enginetest.NewWorld(t, enginetest.SourceFiles()).Hooked()
		w.Turn("s1", "first", func() { w.Write("new.txt", "first line\n") })
		w.Write("new.txt", "first line\nmine\n")
		w.Turn("s1", "second", func() { w.Write("new.txt", "first line\nmine\nsecond line\n") })
		w.Turn("s2", "other", func() { w.Write("new.txt", "first line\nmine\nsecond line\nother\n") })
		w.Git("add", "-A")
		cp := w.GitCommit("-m", "all")
		if got := w.Owners(cp, "new.txt"); got != "s1/1 h s1/2 s2/1" {
			t.Errorf("owners %s", got)
		}
		w.WantRecord(cp)
		if o := w.Record(cp).Owners[0]; o.Agent != "Claude Code" {
			t.Errorf("owner %+v", o)
		}
	})
	t.Run("carried forward", func(t *testing.T) {
		t.Parallel()
		w := enginetest.NewWorld(t, enginetest.SourceFiles()).Hooked()
		w.Turn("s1", "first", func() { w.Write("one.txt", "one\n"); w.Write("two.txt", "two\n") })
		w.Git("add", "one.txt")
		w.GitCommit("-m", "one")
		w.Turn("s1", "second", func() { w.Write("two.txt", "two\nmore of two\n") })
		w.Git("add", "-A")
		if got := w.Owners(w.GitCommit("-m", "two"), "two.txt"); got != "s1/1 s1/2" {
			t.Errorf("owners %s", got)
		}
	})
	t.Run("amended with more work", func(t *testing.T) {
		t.Parallel()
		w := enginetest.NewWorld(t, enginetest.SourceFiles()).Hooked()
		w.Turn("s1", "first", func() { w.Write("new.txt", "first line\nsecond line\n") })
		w.Write("mine.txt", "mine\n")
		w.Git("add", "-A")
		cp := w.GitCommit("-m", "work")
		w.Turn("s1", "second", func() { w.Write("new.txt", "first line\nanother\nsecond line\n") })
		w.Write("new.txt", w.Read("new.txt")+"mine\n")
		if again := w.GitCommit("-a", "--amend", "--no-edit"); again != cp {
			t.Fatalf("amended into %q", again)
		}
		w.WantRecord(cp)
		if got := w.Owners(cp, "new.txt") + ", " + w.Owners(cp, "mine.txt"); got != "s1/1 s1/2 s1/1 h, h" {
			t.Errorf("owners %s", got)
		}
	})
	t.Run("a deleted file", func(t *testing.T) {
		t.Parallel()
		w := enginetest.NewWorld(t, enginetest.SourceFiles()).Hooked()
		w.Turn("s1", "first", func() { w.Write("one.txt", "one\n"); w.Remove("a.txt") })
		w.Git("add", "-A")
		cp := w.GitCommit("-m", "one")
		r := w.Record(cp)
		f := r.File("a.txt")
		if f == nil || f.Blob != "" || len(f.Removed) != 1 || r.Owners[f.Removed[0].Owner].SessionID != "s1" {
			t.Errorf("removed %+v", f)
		}
	})
}

// TestRecordCountsWhatGitCounts: whoever changes whatever, each commit's record
// adds up to git's own numbers, file by file.
func TestRecordCountsWhatGitCounts(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t, enginetest.SourceFiles()).Hooked()
	rng := rand.New(rand.NewPCG(6, 7))
	words := []string{"}\n", "{\n", "\n", "\t}\n", "return nil\n", "a line with some words\n", "x\n"}
	edit := func(who string) {
		for range 1 + rng.IntN(3) {
			path := fmt.Sprintf("f%d.txt", rng.IntN(3))
			var text []string
			if old, err := w.TryGit("hash-object", "--", path); err == nil && old != "" {
				text = strings.SplitAfter(w.Read(path), "\n")
			}
			at := rng.IntN(len(text) + 1)
			end := min(len(text), at+rng.IntN(3))
			var fresh []string
			for range rng.IntN(5) {
				fresh = append(fresh, words[rng.IntN(len(words))])
			}
			fresh = append(fresh, fmt.Sprintf("%d of %s\n", rng.IntN(1000), who))
			w.Write(path, strings.Join(text[:at], "")+strings.Join(fresh, "")+strings.Join(text[end:], ""))
		}
	}
	for i := range 8 {
		for range 1 + rng.IntN(2) {
			edit("person")
			sid := fmt.Sprintf("s%d", rng.IntN(2))
			w.Turn(sid, "work", func() { edit(sid) })
		}
		w.Git("add", "-A")
		if cp := w.GitCommit("-m", fmt.Sprint("commit ", i)); cp != "" {
			w.WantRecord(cp)
		}
	}
}
