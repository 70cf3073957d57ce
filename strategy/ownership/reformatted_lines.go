package ownership

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"time"

	"entire/internal/attribution"
	"entire/strategy/evidence"
	"entire/strategy/githead"
	"entire/strategy/sessionstate"
)

// restoreReformatted restores the agent that owned a line before a formatter changed its quotes,
// semicolons or the like between the newest step (was) and the commit (is). It considers only lines
// that the step has and the commit lacks, and only assigns lines that the commit itself changed, in its version. Older
// lines are in a commit of what was staged before the step.
func restoreReformatted(was []byte, owned []attribution.Line, is []byte, lines []attribution.Line, version int) {
	has := map[string]int{}
	for line := range bytes.Lines(is) {
		has[string(line)]++
	}
	gone, n := map[string][]attribution.Owner{}, 0
	for line := range bytes.Lines(was) {
		if n < len(owned) {
			if has[string(line)]--; has[string(line)] < 0 && owned[n].Owner.Class == attribution.Agent {
				bare := evidence.BareLine(string(line))
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
		if n < len(lines) && !lines[n].Moved && lines[n].Version == version && (lines[n].Owner.Class == attribution.Person || lines[n].Owner.Class == attribution.Unknown) {
			if bare := evidence.BareLine(string(line)); len(gone[bare]) > 0 && evidence.HasWords(bare) {
				lines[n].Owner = gone[bare][0]
				gone[bare] = gone[bare][1:]
			}
		}
		n++
	}
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
