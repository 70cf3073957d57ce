package strategy

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"entire/internal/attribution"
)

// record reads what a checkpoint says of the lines.
func (w *world) record(cp string) *attribution.Record {
	w.t.Helper()
	r, err := attribution.DecodeRecord([]byte(w.metadata(cp, "attribution.json")))
	if err != nil {
		w.t.Fatal(err)
	}
	return r
}

// wantRecord checks that the record of HEAD's checkpoint counts, file by file, what
// git counts.
func (w *world) wantRecord(cp string) {
	w.t.Helper()
	r := w.record(cp)
	for _, line := range strings.Split(w.Git("-c", "core.quotePath=false", "diff-tree", "-r", "--root", "--no-commit-id", "--numstat", "--minimal", "--no-renames", "HEAD"), "\n") {
		f := strings.SplitN(line, "\t", 3)
		if len(f) < 3 || f[0] == "-" {
			continue
		}
		file := r.File(pathText(f[2]))
		if file == nil {
			w.t.Errorf("%s is not in the record", f[2])
			continue
		}
		added, removed := 0, 0
		for _, g := range file.Ranges {
			added += g.Count
		}
		for _, g := range file.Removed {
			removed += g.Count
		}
		if strconv.Itoa(added) != f[0] || strconv.Itoa(removed) != f[1] {
			w.t.Errorf("%s: recorded +%d -%d, git counts +%s -%s", f[2], added, removed, f[0], f[1])
		}
	}
}

// owners writes who added each line of a file: the session's letter and turn, h, ?
// or a dot for lines that were there before.
func (w *world) owners(cp, path string) string {
	w.t.Helper()
	r := w.record(cp)
	f := r.File(path)
	if f == nil {
		return "none"
	}
	var out []string
	for i := range f.Lines {
		g := f.At(i + 1)
		if g == nil {
			out = append(out, ".")
			continue
		}
		switch o := r.Owners[g.Owner]; o.Class {
		case attribution.ClassAgent:
			out = append(out, fmt.Sprint(o.SessionID, "/", o.Turn))
		case attribution.ClassHuman:
			out = append(out, "h")
		default:
			out = append(out, "?")
		}
	}
	return strings.Join(out, " ")
}

func TestRecordOfLines(t *testing.T) {
	t.Parallel()
	t.Run("turns", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, sourceFiles()).hooked()
		w.turn("s1", "first", func() { w.Write("new.txt", "first line\n") })
		w.Write("new.txt", "first line\nmine\n")
		w.turn("s1", "second", func() { w.Write("new.txt", "first line\nmine\nsecond line\n") })
		w.turn("s2", "other", func() { w.Write("new.txt", "first line\nmine\nsecond line\nother\n") })
		w.Git("add", "-A")
		cp := w.gitCommit("-m", "all")
		if got := w.owners(cp, "new.txt"); got != "s1/1 h s1/2 s2/1" {
			t.Errorf("owners %s", got)
		}
		w.wantRecord(cp)
		if o := w.record(cp).Owners[0]; o.Agent != "Claude Code" {
			t.Errorf("owner %+v", o)
		}
	})
	t.Run("carried forward", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, sourceFiles()).hooked()
		w.turn("s1", "first", func() { w.Write("one.txt", "one\n"); w.Write("two.txt", "two\n") })
		w.Git("add", "one.txt")
		w.gitCommit("-m", "one")
		w.turn("s1", "second", func() { w.Write("two.txt", "two\nmore of two\n") })
		w.Git("add", "-A")
		if got := w.owners(w.gitCommit("-m", "two"), "two.txt"); got != "s1/1 s1/2" {
			t.Errorf("owners %s", got)
		}
	})
	t.Run("amended with more work", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, sourceFiles()).hooked()
		w.turn("s1", "first", func() { w.Write("new.txt", "first line\nsecond line\n") })
		w.Write("mine.txt", "mine\n")
		w.Git("add", "-A")
		cp := w.gitCommit("-m", "work")
		w.turn("s1", "second", func() { w.Write("new.txt", "first line\nanother\nsecond line\n") })
		w.Write("new.txt", w.Read("new.txt")+"mine\n")
		if again := w.gitCommit("-a", "--amend", "--no-edit"); again != cp {
			t.Fatalf("amended into %q", again)
		}
		w.wantRecord(cp)
		if got := w.owners(cp, "new.txt") + ", " + w.owners(cp, "mine.txt"); got != "s1/1 s1/2 s1/1 h, h" {
			t.Errorf("owners %s", got)
		}
	})
	t.Run("a deleted file", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, sourceFiles()).hooked()
		w.turn("s1", "first", func() { w.Write("one.txt", "one\n"); w.Remove("a.txt") })
		w.Git("add", "-A")
		cp := w.gitCommit("-m", "one")
		r := w.record(cp)
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
	w := newWorld(t, sourceFiles()).hooked()
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
			w.turn(sid, "work", func() { edit(sid) })
		}
		w.Git("add", "-A")
		if cp := w.gitCommit("-m", fmt.Sprint("commit ", i)); cp != "" {
			w.wantRecord(cp)
		}
	}
}
