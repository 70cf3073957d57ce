package walk

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
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
	w.inBoth(func(s *side) {
		out := s.git(wt, "status", "--porcelain=v2", "-z", "--untracked-files=all")
		if s == w.real {
			status[0] = out
		} else {
			status[1] = out
		}
	})
	if status[0] != status[1] {
		w.fail("status", "worktree %d with entire\n%s\nwithout\n%s", wt, show0(status[0]), show0(status[1]))
	}
	a, b := w.real.worktree(wt), w.twin.worktree(wt)
	for _, p := range changed(a, b) {
		if w.real.comparable(a[p].text) != w.twin.comparable(b[p].text) || a[p].mode != b[p].mode {
			w.fail("worktree", "%s with entire %q, without %q", p, a[p], b[p])
		}
	}
	if x, y := w.readGit(w.real, wt, "HEAD"), w.readGit(w.twin, wt, "HEAD"); w.real.comparable(x) != w.twin.comparable(y) {
		w.fail("head", "HEAD is %q with entire, %q without", x, y)
	}
	w.pair(w.real.head(wt), w.twin.head(wt))
}

func show0(s string) string { return strings.ReplaceAll(s, "\x00", "\n") }

func (w *walk) readGit(s *side, wt int, name string) string {
	data, _ := os.ReadFile(filepath.Join(s.gitDir(wt), name))
	return string(data)
}

// pair checks that two commits are the same but for our trailer, and so down
// to the ones that were paired before.
func (w *walk) pair(real, twin string) {
	a, b := w.real.commit(real), w.twin.commit(twin)
	if w.pairs[a.id] != "" || a.id == "" && b.id == "" {
		if w.pairs[a.id] != b.id {
			w.fail("history", "%.7s is %.7s without entire, not %.7s", a.id, w.pairs[a.id], b.id)
		}
		return
	}
	switch {
	case a.tree != b.tree:
		w.fail("tree", "%s: the trees of %.7s and %.7s differ", a.subject(), a.id, b.id)
	case a.people != b.people || len(a.parents) != len(b.parents):
		w.fail("commit", "%s: people %q and %q, parents %v and %v", a.subject(), a.people, b.people, a.parents, b.parents)
	case !sameMessage(a.message, b.message):
		w.fail("message", "with entire %q, without %q", a.message, b.message)
	}
	w.pairs[a.id] = b.id
	for i := range a.parents {
		w.pair(a.parents[i], b.parents[i])
	}
}
