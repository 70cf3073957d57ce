package strategy

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode"

	"entire/internal/attribution"
)

// bareLine returns a line without what formatters change: white space, the kind of quotes,
// semicolons, and commas.
func bareLine(line string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r), r == ';', r == ',':
			return -1
		case r == '"', r == '`':
			return '\''
		}
		return r
	}, line)
}

// leaveReworded restores the agent that owned a line before a formatter changed its quotes,
// semicolons or the like between the newest step (was) and the commit (is). It considers only lines
// that the step has and the commit lacks, and only assigns lines that the commit itself changed.
func leaveReworded(was []byte, owned []attribution.Line, is []byte, lines []attribution.Line) {
	has := map[string]int{}
	for line := range bytes.Lines(is) {
		has[string(line)]++
	}
	gone, n := map[string][]attribution.Owner{}, 0
	for line := range bytes.Lines(was) {
		if n < len(owned) {
			if has[string(line)]--; has[string(line)] < 0 && owned[n].Owner.Class == attribution.Agent {
				bare := bareLine(string(line))
				gone[bare] = append(gone[bare], owned[n].Owner)
			}
		}
		n++
	}
	if len(gone) == 0 {
		return
	}
	n = 0
	for line := range bytes.Lines(is) {
		if n < len(lines) && !lines[n].Moved && (lines[n].Owner.Class == attribution.Person || lines[n].Owner.Class == attribution.Unknown) {
			if bare := bareLine(string(line)); len(gone[bare]) > 0 && says(bare) {
				lines[n].Owner = gone[bare][0]
				gone[bare] = gone[bare][1:]
			}
		}
		n++
	}
}

// leaveHooked marks as unknown a person's lines in a file that lost lines of an agent while git
// made the commit: a pre-commit hook rewrote it, and nothing shows how. Git records the committer's
// time before it runs that hook.
func (s *ManualCommitStrategy) leaveHooked(ctx context.Context, cm madeCommit, files map[string]foldedFile) {
	hooked := 0 // 0 until it is checked, then 1 or -1
	for path, f := range files {
		if !slices.ContainsFunc(f.lost, func(l attribution.Lost) bool { return l.Owner.Class == attribution.Agent }) || !s.writtenSince(path, cm.Committer.When) {
			continue
		}
		if hooked == 0 {
			if hooked = -1; s.hasPreCommit(ctx) {
				hooked = 1
			}
		}
		if hooked < 0 {
			return
		}
		for i := range f.Lines {
			if l := &f.Lines[i]; l.Added && !l.Moved && l.Owner.Class == attribution.Person {
				l.Owner = attribution.Owner{Class: attribution.Unknown}
			}
		}
	}
}

// writtenSince reports whether a worktree file was written in that second or later.
func (s *ManualCommitStrategy) writtenSince(path string, when time.Time) bool {
	fi, err := os.Lstat(filepath.Join(s.repo.Top, filepath.FromSlash(path)))
	return err == nil && !fi.ModTime().Before(when.Truncate(time.Second))
}

func (s *ManualCommitStrategy) hasPreCommit(ctx context.Context) bool {
	dir, _, err := s.repo.HooksDir(ctx)
	if err != nil {
		return false
	}
	fi, err := os.Stat(filepath.Join(dir, "pre-commit"))
	return err == nil && fi.Mode().IsRegular()
}
