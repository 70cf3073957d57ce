package ownership

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"entire/internal/attribution"
	"entire/strategy/evidence"
	"entire/strategy/githead"
	"entire/strategy/sessionstate"
)

// restoreReformatted restores the agents that owned lines before a formatter changed their quotes, semicolons or
// the like, or where they end, between the newest step (was) and the commit (is). It considers only lines
// that the step has and the commit lacks, and only assigns lines that the commit itself changed, in its version. Older
// lines are in a commit of what was staged before the step. It returns the lines of the step that live on.
func restoreReformatted(was []byte, owned []attribution.Line, is []byte, lines []attribution.Line, version int) (live map[string]bool) {
	has := map[string]int{}
	for line := range bytes.Lines(is) {
		has[string(line)]++
	}
	gone := bareLines(was, func(n int, line []byte) bool {
		if n >= len(owned) {
			return false
		}
		has[string(line)]--
		return has[string(line)] < 0 && owned[n].Owner.Class == attribution.Agent
	})
	if len(gone) == 0 {
		return nil
	}
	fresh := bareLines(is, func(n int, _ []byte) bool {
		return n < len(lines) && !lines[n].Moved && lines[n].Version == version && (lines[n].Owner.Class == attribution.Person || lines[n].Owner.Class == attribution.Unknown)
	})
	used := make([]bool, len(gone))
	live = map[string]bool{}
	starts := newLineStarts(gone)
	for i := 0; i < len(fresh); i++ {
		for _, k := range starts.find(fresh[i].text, used) {
			if from := sameText(fresh[i:], gone[k:], used[k:]); len(from) > 0 {
				for j, g := range from {
					lines[fresh[i+j].at].Owner = owned[gone[k+g].at].Owner
				}
				i += len(from) - 1
				break
			}
		}
	}
	for k, g := range gone {
		if used[k] {
			live[g.line] = true
		}
	}
	return live
}

// A bareLine is a line of a text without what formatters change.
type bareLine struct {
	at         int
	line, text string // as it is, and without that
}

// bareLines returns the lines of a text that take chooses, without those that are blank.
func bareLines(text []byte, take func(n int, line []byte) bool) (out []bareLine) {
	n := 0
	for line := range bytes.Lines(text) {
		if bare := attribution.Bare(string(line)); take(n, line) && bare != "" {
			out = append(out, bareLine{n, string(line), bare})
		}
		n++
	}
	return out
}

const (
	// reformattedMax bounds the lines of which a formatter made others.
	reformattedMax = 50
	// triedMax bounds the lines that are tried for one text, and beginningMax the bytes of a line that another begins with.
	triedMax, beginningMax = 20, 200
)

// lineStarts finds lines by how they begin.
type lineStarts struct {
	lines  []bareLine
	sorted []int            // indexes of lines, by text
	whole  map[string][]int // indexes of lines, by their whole text
}

func newLineStarts(lines []bareLine) *lineStarts {
	s := &lineStarts{lines: lines, whole: map[string][]int{}}
	for k, l := range lines {
		s.sorted, s.whole[l.text] = append(s.sorted, k), append(s.whole[l.text], k)
	}
	slices.SortStableFunc(s.sorted, func(a, b int) int { return strings.Compare(lines[a].text, lines[b].text) })
	return s
}

// find returns the indexes of unused lines that text begins with, or that begin with text, in order.
func (s *lineStarts) find(text string, used []bool) (out []int) {
	unused := func(start string) {
		list := s.whole[start]
		if len(list) == 0 {
			return
		}
		for len(list) > 0 && used[list[0]] {
			list = list[1:]
		}
		s.whole[start] = list
		out = append(out, list[:min(len(list), triedMax)]...)
	}
	for n := 1; n < min(len(text), beginningMax); n++ {
		unused(text[:n])
	}
	unused(text)
	from, _ := slices.BinarySearchFunc(s.sorted, text, func(k int, text string) int {
		if s.lines[k].text <= text {
			return -1
		}
		return 1
	})
	for _, k := range s.sorted[from:min(len(s.sorted), from+triedMax)] {
		if strings.HasPrefix(s.lines[k].text, text) {
			out = append(out, k)
		}
	}
	slices.Sort(out)
	return out
}

// sameText returns for each of the first lines of a the line of b in which it begins, if these lines of a have the
// same words as the first lines of b: a formatter ended the lines elsewhere. It takes as many lines as it can, and
// marks those of b as used.
func sameText(a, b []bareLine, used []bool) (from []int) {
	follows := func(of []bareLine, i int) bool {
		return i < min(len(of), reformattedMax) && (i == 0 || of[i].at == of[i-1].at+1)
	}
	var is, was string
	n, same, read := 0, 0, 0 // lines of b in was; of a and of b in the longest equal text
	end := func() []int {
		for k := range read {
			used[k] = true
		}
		return from[:same]
	}
	for strings.HasPrefix(is, was) || strings.HasPrefix(was, is) {
		i := len(from)
		if len(is) == len(was) && evidence.HasWords(is) {
			same, read = i, n
		}
		switch {
		case len(is) > len(was) && follows(b, n) && !used[n]:
			was += b[n].text
			n++
			continue
		case len(is) == len(was) && follows(a, i):
			from = append(from, n)
		case len(is) < len(was) && follows(a, i):
			from = append(from, n-1)
		default:
			return end()
		}
		is += a[i].text
	}
	return end()
}

// markUnknownHooked marks as unknown a person's lines in a file that lost lines of an agent while git
// made the commit: a pre-commit hook rewrote it, and nothing shows how. Git records the committer's
// time before it runs that hook.
func markUnknownHooked(ctx context.Context, s *sessionstate.Env, cm githead.MadeCommit, files map[string]attributedFile) {
	hooked := 0 // 0 until it is checked, then 1 or -1
	for path, f := range files {
		if !slices.ContainsFunc(f.lost, func(l lostLine) bool { return l.Owner.Class == attribution.Agent }) || !writtenSince(s, path, cm.Committer.When) {
			continue
		}
		if hooked == 0 {
			if hooked = -1; hasPreCommit(ctx, s) {
				hooked = 1
			}
		}
		if hooked < 0 {
			return
		}
		for i := range f.Lines {
			if l := &f.Lines[i]; l.Added && !l.Moved && l.Owner.Class == attribution.Person {
				l.Owner = unknownOwner
			}
		}
	}
}

// writtenSince reports whether a worktree file was written in that second or later.
func writtenSince(s *sessionstate.Env, path string, when time.Time) bool {
	fi, err := os.Lstat(filepath.Join(s.Repo.Top, filepath.FromSlash(path)))
	return err == nil && !fi.ModTime().Before(when.Truncate(time.Second))
}

func hasPreCommit(ctx context.Context, s *sessionstate.Env) bool {
	dir, _, err := s.Repo.HooksDir(ctx)
	if err != nil {
		return false
	}
	fi, err := os.Stat(filepath.Join(dir, "pre-commit"))
	return err == nil && fi.Mode().IsRegular()
}
