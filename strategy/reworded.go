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

// bareLine is a line without what formatters change: white space, the kind of quotes,
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

// leaveReworded gives lines back to whoever wrote them before a formatter changed quotes,
// semicolons or the like on the way from the newest step to the commit: those lines of the
// step that the commit has no longer. Only lines that the commit's own change brought are
// looked at.
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

// leaveHooked leaves lines of a person's to nobody in a file that lost an agent's lines
// while git made the commit: a pre-commit hook has rewritten it, and how nobody can tell.
// Git takes the committer's time before it runs that hook.
func (s *ManualCommitStrategy) leaveHooked(ctx context.Context, cm madeCommit, files map[string]foldedFile) {
	hooked := 0 // not asked yet
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

// writtenSince reports a file of the worktree that was written in that second or later.
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
