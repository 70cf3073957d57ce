package strategy

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"entire/internal/durable"
	"entire/internal/git"
	"entire/session"
)

// examineJournals finds what was begun and not finished: a rewind, the linking of a commit,
// checkpoints that wait for the end of their turn's transcript.
func (s *ManualCommitStrategy) examineJournals(ctx context.Context) ([]Finding, error) {
	var out []Finding
	recover := func(ctx context.Context) (string, error) {
		lines, err := s.Recover(ctx)
		if len(lines) > 0 {
			return lines[0], err
		}
		return "finished", err
	}
	switch j, err := s.readJournal(); {
	case err != nil:
		out = append(out, s.badJournal(err))
	case j != nil:
		out = append(out, Finding{Kind: "not-finished", Subject: "rewind", Fix: "finish it", Mend: recover,
			Why: fmt.Sprintf("the rewind to %s was interrupted: the worktree is between two states", j.Point.Short())})
	case s.rewindUnderWay():
		out = append(out, Finding{Kind: "not-finished", Subject: "rewind", Fix: "remove the files that were prepared for it", Mend: recover,
			Why: "a rewind was interrupted before it changed anything, or after it was done"})
	}
	out = append(out, s.examineRewindLog()...)
	if settles, err := s.unsettledCommit(ctx); err != nil {
		return out, err
	} else if settles != "" {
		out = append(out, Finding{Kind: "not-finished", Subject: settles, Why: "its post-commit hook was interrupted: its checkpoint is not stored yet",
			Fix: "store it", Mend: recover})
	}
	late, err := s.lateCheckpoints(ctx)
	return append(out, late...), err
}

// badJournal is the finding for a rewind's journal that cannot be read. The files from before the
// rewind are in a step all the same.
func (s *ManualCommitStrategy) badJournal(err error) Finding {
	aside := s.journalPath() + ".unreadable"
	return Finding{Kind: "not-finished", Subject: "rewind", Why: err.Error(), Hint: "`entire rewind --list` shows the steps on both sides of it",
		Fix: "move its journal aside, as " + filepath.Base(aside), Mend: func(context.Context) (string, error) {
			return "moved to " + aside, os.Rename(s.journalPath(), aside)
		}}
}

// unsettledCommit returns the short ID of a commit that was made and whose stored choice is still
// waiting, "" if there is none.
func (s *ManualCommitStrategy) unsettledCommit(ctx context.Context) (string, error) {
	choices := s.choices()
	if len(choices) == 0 || s.inSequence() {
		return "", nil
	}
	head, born, err := s.repo.Reader(ctx).CommitOf("HEAD")
	if err != nil || !born {
		return "", err
	}
	for _, prep := range choices {
		if made, ok, err := s.madeFor(ctx, prep, head); err != nil || ok {
			return made.OID.Short(), err
		}
	}
	return "", nil
}

// lateCheckpoints finds the checkpoints that wait for the transcript of a turn that is over.
func (s *ManualCommitStrategy) lateCheckpoints(ctx context.Context) ([]Finding, error) {
	sums, err := s.store.Summaries(ctx)
	if err != nil {
		return nil, err
	}
	var out []Finding
	for _, sum := range sums {
		if sum.TurnCheckpointIDs == 0 || sum.Phase == session.PhaseActive {
			continue
		}
		out = append(out, Finding{Kind: "not-finished", Subject: sum.ID.Short(), Fix: "complete them",
			Why: counted(sum.TurnCheckpointIDs, "checkpoint") + " without the end of the turn's transcript",
			Mend: func(ctx context.Context) (string, error) {
				left := 0
				err := s.inSession(ctx, sum.ID, func(o *open) error {
					err := s.finalise(ctx, o)
					left = len(o.state.TurnCheckpointIDs)
					return err
				})
				if err == nil && left > 0 {
					err = fmt.Errorf("the transcript cannot be read; the log says why")
				}
				return "completed", err
			}})
	}
	return out, nil
}

// examineLocks finds lock files that a killed git has left. Our own locks end with the process
// that holds them.
func (s *ManualCommitStrategy) examineLocks(ctx context.Context) ([]Finding, error) {
	now, err := durable.Clock(s.repo.CommonDir)
	if err != nil {
		return nil, err
	}
	var out []Finding
	found := func(path string, mine bool) {
		fi, err := os.Lstat(path)
		if err != nil || now.Sub(fi.ModTime()) < git.StaleLock {
			return
		}
		f := Finding{Kind: "stale-lock", Subject: s.shown(path), Why: fmt.Sprintf("it is %s old: a git that held it was killed", now.Sub(fi.ModTime()).Round(time.Second))}
		if mine {
			f.Fix, f.Mend = "remove it", func(context.Context) (string, error) { return "removed", os.Remove(path) }
		} else {
			f.Hint = "if no git command runs in this repository, remove it: rm " + path
		}
		out = append(out, f)
	}
	for _, dir := range []string{filepath.Join("refs", "heads", "entire"), filepath.Join("refs", "entire")} {
		err := filepath.WalkDir(filepath.Join(s.repo.CommonDir, dir), func(path string, e os.DirEntry, err error) error {
			if err == nil && !e.IsDir() && strings.HasSuffix(path, ".lock") {
				found(path, s.locksOurs(path))
			}
			return nil // a file that is removed in between is no finding
		})
		if err != nil {
			return out, err
		}
	}
	for _, path := range []string{filepath.Join(s.repo.GitDir, "index.lock"), filepath.Join(s.repo.GitDir, "HEAD.lock"), filepath.Join(s.repo.CommonDir, "packed-refs.lock")} {
		found(path, false)
	}
	return out, ctx.Err()
}

// locksOurs reports whether a lock file belongs to a ref that only we write.
func (s *ManualCommitStrategy) locksOurs(path string) bool {
	rel, err := filepath.Rel(s.repo.CommonDir, strings.TrimSuffix(path, ".lock"))
	ref := filepath.ToSlash(rel)
	if err != nil || !strings.HasPrefix(ref, ownRefRoot) {
		return err == nil
	}
	dir, _ := refFolder(ref)
	return ownRefs[dir] != nil
}

// shown returns a path relative to the worktree's top if it is below it, otherwise the path
// itself.
func (s *ManualCommitStrategy) shown(path string) string {
	if rel, err := filepath.Rel(s.repo.Top, path); err == nil && filepath.IsLocal(rel) {
		return filepath.ToSlash(rel)
	}
	return path
}

// examineIndex finds an index that names trees which git has lost, so that a commit would lack
// them. Its entries suffice to write them again.
func (s *ManualCommitStrategy) examineIndex(ctx context.Context) ([]Finding, error) {
	missing, err := s.repo.MissingCachedTrees(ctx)
	if err != nil || len(missing) == 0 {
		return nil, err
	}
	backup := filepath.Join(s.localDir(), "index.before-repair")
	return []Finding{{Kind: "index", Subject: missing[0].Short(), Why: "the index names " + counted(len(missing), "tree") + " that git has lost: the next commit would lack them, and gc fails",
		Fix: "rewrite them from the index's entries; staged changes stay staged, and a copy of the index is kept",
		Mend: func(ctx context.Context) (string, error) {
			data, err := os.ReadFile(filepath.Join(s.repo.GitDir, "index"))
			if err == nil {
				err = durable.WriteFile(backup, data, 0o600)
			}
			if err == nil {
				err = s.repo.RewriteCachedTrees(ctx)
			}
			if err != nil {
				return "", err
			}
			if left, err := s.repo.MissingCachedTrees(ctx); err != nil || len(left) > 0 {
				return "", errors.Join(err, fmt.Errorf("%s still missing", counted(len(left), "tree")))
			}
			return "rewritten; the old index is " + s.shown(backup), nil
		}}}, nil
}

// examineDestinations finds that the user's answers cannot be read, so that git push sends no
// sessions and does not say so.
func (s *ManualCommitStrategy) examineDestinations(context.Context) ([]Finding, error) {
	_, err := s.readDestinations()
	if err == nil {
		return nil, nil
	}
	path := s.destinationsFile()
	aside := path + ".unreadable"
	return []Finding{{Kind: "unreadable", Subject: filepath.Base(path), Why: err.Error() + ": git push takes no sessions along",
		Hint: "`entire push --agree <remote>` agrees again", Fix: "move it aside, as " + filepath.Base(aside),
		Mend: func(context.Context) (string, error) { return "moved to " + s.shown(aside), os.Rename(path, aside) },
	}}, nil
}
