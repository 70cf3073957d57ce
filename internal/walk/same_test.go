package walk

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"entire/internal/histories"
)

var trailerLine = regexp.MustCompile(`(?m)^\s*Entire-Checkpoint: ([0-9a-f]{12})$\n?`)

func trailers(message string) []string {
	var ids []string
	for _, m := range regexp.MustCompile(`(?m)^Entire-Checkpoint: ([0-9a-f]{12})$`).FindAllStringSubmatch(message, -1) {
		ids = append(ids, m[1])
	}
	return ids
}

// withoutTrailers takes our trailer out of a text, with the blank line that
// made a paragraph of it.
func withoutTrailers(text string) string {
	if !strings.Contains(text, "Entire-Checkpoint: ") {
		return text
	}
	text = trailerLine.ReplaceAllString(text, "")
	paragraphs := strings.Split(text, "\n\n")
	paragraphs = slices.DeleteFunc(paragraphs, func(p string) bool { return strings.TrimSpace(p) == "" })
	return strings.TrimRight(strings.Join(paragraphs, "\n\n"), "\n") + "\n"
}

func sameMessage(real, twin string) bool {
	if real == twin {
		return true
	}
	plain := func(s string) string {
		s = strings.TrimRight(hexadecimal.ReplaceAllString(withoutTrailers(s), "HEX"), "\n")
		if !strings.Contains(s, "Squashed commit of the following") {
			return s
		}
		return strings.Join(strings.Fields(s), " ")
	}
	return strings.Contains(real, "Entire-Checkpoint") && plain(real) == plain(twin) ||
		!strings.Contains(real, "Entire-Checkpoint") && hexadecimal.ReplaceAllString(real, "HEX") == hexadecimal.ReplaceAllString(twin, "HEX")
}

// compare holds a worktree of the real side against the twin's.
func (w *walk) compare(wt int) {
	var status [2]string
	w.inBoth(func(side int, r *histories.Repo) {
		status[side] = r.Git(wt, "status", "--porcelain=v2", "-z", "--untracked-files=all")
	})
	if status[0] != status[1] {
		histories.Fail("status", "worktree %d with entire\n%s\nwithout\n%s", wt, show0(status[0]), show0(status[1]))
	}
	a, b := w.files(wt), w.Files(wt)
	for _, p := range histories.Changed(a, b) {
		if w.comparable(w.real, a[p].Text) != w.comparable(w.twin, b[p].Text) || a[p].Mode != b[p].Mode {
			histories.Fail("worktree", "%s with entire %q, without %q", p, a[p], b[p])
		}
	}
	if x, y := w.readGit(w.real, wt, "HEAD"), w.readGit(w.twin, wt, "HEAD"); w.comparable(w.real, x) != w.comparable(w.twin, y) {
		histories.Fail("head", "HEAD is %q with entire, %q without", x, y)
	}
	w.pair(w.real.Head(wt), w.twin.Head(wt))
}

func show0(s string) string { return strings.ReplaceAll(s, "\x00", "\n") }

func (w *walk) readGit(s *histories.Repo, wt int, name string) string {
	data, _ := os.ReadFile(filepath.Join(s.GitDir(wt), name))
	return string(data)
}

// pair checks that two commits are the same but for our trailer, and so down
// to the ones that were paired before.
func (w *walk) pair(real, twin string) {
	a, b := w.real.Commit(real), w.twin.Commit(twin)
	if w.pairs[a.ID] != "" || a.ID == "" && b.ID == "" {
		if w.pairs[a.ID] != b.ID {
			histories.Fail("history", "%.7s is %.7s without entire, not %.7s", a.ID, w.pairs[a.ID], b.ID)
		}
		return
	}
	switch {
	case a.Tree != b.Tree:
		histories.Fail("tree", "%s: the trees of %.7s and %.7s differ", a.Subject(), a.ID, b.ID)
	case a.People != b.People || len(a.Parents) != len(b.Parents):
		histories.Fail("commit", "%s: people %q and %q, parents %v and %v", a.Subject(), a.People, b.People, a.Parents, b.Parents)
	case !sameMessage(a.Message, b.Message):
		histories.Fail("message", "with entire %q, without %q", a.Message, b.Message)
	}
	w.pairs[a.ID] = b.ID
	for i := range a.Parents {
		w.pair(a.Parents[i], b.Parents[i])
	}
}
