package lineage_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// random plays with a repository whose lines say who wrote them.
type random struct {
	*lab
	*rand.Rand
	log []string
}

func (r *random) files() []string {
	return strings.Fields(r.Git("ls-files", "--", "*.txt"))
}

func (r *random) linesOf(path string) []string {
	text := r.Read(path)
	if text == "" {
		return nil
	}
	return strings.SplitAfter(strings.TrimSuffix(text, "\n"), "\n")
}

func (r *random) put(path string, lines []string) {
	for i := range lines {
		lines[i] = strings.TrimSuffix(lines[i], "\n") + "\n"
	}
	r.Write(path, strings.Join(lines, ""))
}

// edit changes one file as somebody.
func (r *random) edit(who string) {
	all := r.files()
	if len(all) == 0 || r.IntN(12) == 0 {
		path := fmt.Sprintf("f%d.txt", r.IntN(100))
		r.Write(path, r.text(strings.Repeat(who+" ", 1+r.IntN(5))))
		r.Git("add", "-N", path)
		r.log = append(r.log, who+" makes "+path)
		return
	}
	path := all[r.IntN(len(all))]
	lines := r.linesOf(path)
	at := r.IntN(len(lines) + 1)
	end := min(len(lines), at+r.IntN(4))
	fresh := strings.SplitAfter(strings.TrimSuffix(r.text(strings.Repeat(who+" ", 1+r.IntN(3))), "\n"), "\n")
	kind := r.IntN(10)
	switch kind {
	case 0, 1, 2, 3:
		lines = slices.Insert(lines, at, fresh...)
	case 4, 5:
		lines = slices.Replace(lines, at, end, fresh...)
	case 6:
		lines = slices.Delete(lines, at, end)
	case 7: // moved
		block := slices.Clone(lines[at:end])
		rest := slices.Delete(lines, at, end)
		to := r.IntN(len(rest) + 1)
		lines = slices.Insert(rest, to, block...)
	case 8:
		for i := at; i < end; i++ {
			lines[i] = "\t" + lines[i]
		}
	case 9:
		lines = slices.Insert(lines, at, "}\n", "\n")
	}
	r.put(path, lines)
	r.log = append(r.log, fmt.Sprintf("%s edits %s (%d)", who, path, kind))
}

func (r *random) try(args ...string) bool {
	_, err := r.TryGit(args...)
	return err == nil
}

// rewrite does to history what people do.
func (r *random) rewrite() {
	r.tick()
	n := 1 + r.IntN(3)
	base := fmt.Sprintf("HEAD~%d", n)
	if !r.try("rev-parse", "-q", "--verify", base+"~2") {
		return
	}
	what := []string{"amend", "squash", "squash with messages", "rebase", "cherry-pick", "revert", "rename", "redo", "merge", "reword"}[r.IntN(10)]
	r.log = append(r.log, fmt.Sprintf("%s %d", what, n))
	switch what {
	case "amend":
		r.edit("h") // an agent's work would have been recorded
		r.Git("add", "-A")
		r.try("commit", "-q", "--amend", "-m", "amended")
	case "squash":
		r.Git("reset", "-q", "--soft", base)
		r.try("commit", "-q", "-m", "squashed")
	case "squash with messages":
		msg := r.Git("log", "--reverse", "--format=* %B", base+"..")
		r.Git("reset", "-q", "--soft", base)
		r.try("commit", "-q", "-m", "squashed\n\n"+msg)
	case "rebase":
		old := r.Git("rev-parse", "HEAD")
		r.Git("reset", "-q", "--hard", base)
		r.edit("h")
		r.plain("goes on")
		onto := r.Git("rev-parse", "HEAD")
		if !r.try("rebase", "-q", "--onto", onto, onto+"~1", old) {
			r.try("rebase", "--abort")
			r.Git("reset", "-q", "--hard", onto)
		}
		r.Git("branch", "-f", "keep")
		r.Git("checkout", "-q", "-B", "main")
	case "cherry-pick":
		old := r.Git("rev-parse", "HEAD")
		r.Git("reset", "-q", "--hard", base)
		if !r.try("cherry-pick", "-n", old) {
			r.Git("reset", "-q", "--hard")
		}
		r.try("commit", "-q", "-m", "picked")
	case "revert":
		if !r.try("revert", "--no-edit", "HEAD") {
			r.try("revert", "--abort")
		}
	case "rename":
		if all := r.files(); len(all) > 0 {
			r.Git("mv", "-f", all[r.IntN(len(all))], fmt.Sprintf("r%d.txt", r.IntN(1000)))
			r.plain("renamed")
		}
	case "redo":
		old := r.Git("rev-parse", "HEAD")
		r.Git("reset", "-q", "--hard", base)
		r.Git("checkout", "-q", old, "--", ".")
		r.try("commit", "-q", "-m", "again")
	case "merge":
		old := r.Git("rev-parse", "HEAD")
		r.Git("reset", "-q", "--hard", base)
		r.edit("h")
		r.plain("ours")
		if !r.try("merge", "-q", "--no-ff", "--no-edit", old) {
			r.try("merge", "--abort")
		}
	case "reword":
		r.try("commit", "-q", "--amend", "-m", "another message")
	}
}

// TestRandomHistories: whatever people do, no line is given to somebody who did not
// write it. LINEAGE_SEEDS asks for more of them.
func TestRandomHistories(t *testing.T) {
	t.Parallel()
	const seeds = 2
	for seed := range seeds {
		t.Run(strconv.Itoa(seed), func(t *testing.T) {
			t.Parallel()
			playRandomly(t, uint64(seed))
		})
	}
}

func playRandomly(t *testing.T, seed uint64) {
	r := &random{lab: newLab(t), Rand: rand.New(rand.NewPCG(seed, 1))}
	r.Write("f.txt", r.text("old old old"))
	r.plain("before the tool")
	r.enable()
	lines, lost := 0, 0
	for range 25 {
		for range 1 + r.IntN(3) {
			r.edit([]string{"h", "a1", "a1", "a2"}[r.IntN(4)])
		}
		if r.TryGitClean() {
			continue
		}
		r.linked("work")
		if r.IntN(4) == 0 {
			r.edit("h")
			r.log = append(r.log, "by hand")
			r.plain("by hand")
		}
		if r.IntN(2) == 0 {
			r.rewrite()
		}
		for _, path := range r.files() {
			got := r.blame(path)
			lines, lost = lines+len(strings.Fields(got)), lost+strings.Count(got, "?")
			if strings.Contains(got, "!") {
				t.Fatalf("seed %d: %s: %s\n%s\n%s\n%s", seed, path, got, r.Read(path), strings.Join(r.log, "\n"), r.Git("log", "--stat", "--format=%h %s %b"))
			}
		}
	}
	t.Logf("seed %d: %d lines, %d unknown", seed, lines, lost)
}

// TryGitClean reports whether there is nothing to commit.
func (r *random) TryGitClean() bool { return r.Git("status", "--porcelain") == "" }

func TestManyRandomHistories(t *testing.T) {
	n, _ := strconv.Atoi(os.Getenv("LINEAGE_SEEDS"))
	for seed := range n {
		t.Run(strconv.Itoa(seed), func(t *testing.T) { playRandomly(t, uint64(1000+seed)) })
	}
}
