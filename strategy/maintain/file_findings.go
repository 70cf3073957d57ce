package maintain

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"entire/internal/durable"
	"entire/internal/git"
	"entire/session"
	"entire/strategy/condense"
	"entire/strategy/githead"
	"entire/strategy/link"
	"entire/strategy/restore"
	"entire/strategy/rewind"
	"entire/strategy/sessionstate"
	"entire/strategy/step"
	"entire/strategy/worktree"
)

// examineJournals finds what was begun and not finished: a rewind, the linking of a commit,
// checkpoints that wait for the end of their turn's transcript.
func examineJournals(ctx context.Context, s *sessionstate.Env) ([]Finding, error) {
	var out []Finding
	recover := func(ctx context.Context) (string, error) {
		lines, err := rewind.Recover(ctx, s)
		if len(lines) > 0 {
			return lines[0], err
		}
		return "finished", err
	}
	switch j, err := restore.ReadJournal(s); {
	case err != nil:
		out = append(out, badJournal(s, err))
	case j != nil:
		out = append(out, Finding{Kind: "not-finished", Subject: "rewind", Fix: "finish it", Mend: recover,
			Why: fmt.Sprintf("the rewind to %s was interrupted: the worktree is between two states", j.Point.Short())})
	case rewind.UnderWay(s):
		out = append(out, Finding{Kind: "not-finished", Subject: "rewind", Fix: "remove the files that were prepared for it", Mend: recover,
			Why: "a rewind was interrupted before it changed anything, or after it was done"})
	}
	out = append(out, examineRewindLog(s)...)
	if settles, err := pendingCommit(ctx, s); err != nil {
		return out, err
	} else if settles != "" {
		out = append(out, Finding{Kind: "not-finished", Subject: settles, Why: "its post-commit hook was interrupted: its checkpoint is not stored yet",
			Fix: "store it", Mend: recover})
	}
	late, err := lateCheckpoints(ctx, s)
	return append(out, late...), err
}

// badJournal is the finding for a rewind's journal that cannot be read. The files from before the
// rewind are in a step all the same.
func badJournal(s *sessionstate.Env, err error) Finding {
	aside := condense.JournalPath(s) + ".unreadable"
	return Finding{Kind: "not-finished", Subject: "rewind", Why: err.Error(), Hint: "`entire log` shows the steps on both sides of it",
		Fix: "move its journal aside, as " + filepath.Base(aside), Mend: func(context.Context) (string, error) {
			return "moved to " + aside, os.Rename(condense.JournalPath(s), aside)
		}}
}

// pendingCommit returns the short ID of a commit that was made and whose stored choice is still
// waiting, "" if there is none.
func pendingCommit(ctx context.Context, s *sessionstate.Env) (string, error) {
	choices := githead.WaitingChoices(s)
	if len(choices) == 0 || githead.InSequence(ctx, s) {
		return "", nil
	}
	head, born, err := s.Repo.Reader(ctx).CommitOf("HEAD")
	if err != nil || !born {
		return "", err
	}
	for _, prep := range choices {
		if made, ok, err := link.CommitMadeFor(ctx, s, prep, head); err != nil || ok {
			return made.OID.Short(), err
		}
	}
	return "", nil
}

// lateCheckpoints finds the checkpoints that wait for the transcript of a turn that is over.
func lateCheckpoints(ctx context.Context, s *sessionstate.Env) ([]Finding, error) {
	sums, err := s.Store.Summaries(ctx)
	if err != nil {
		return nil, err
	}
	var out []Finding
	for _, sum := range sums {
		if sum.TurnCheckpointIDs == 0 || sum.Phase == session.PhaseActive {
			continue
		}
		out = append(out, Finding{Kind: "not-finished", Subject: sum.ID.Short(), Fix: "complete them",
			Why: worktree.Counted(sum.TurnCheckpointIDs, "checkpoint") + " without the end of the turn's transcript",
			Mend: func(ctx context.Context) (string, error) {
				left := 0
				err := s.UpdateSession(ctx, sum.ID, func(o *sessionstate.LockedSession) error {
					err := condense.Finalise(ctx, s, o)
					left = len(o.State.TurnCheckpointIDs)
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
func examineLocks(ctx context.Context, s *sessionstate.Env) ([]Finding, error) {
	now, err := durable.Clock(s.Repo.CommonDir)
	if err != nil {
		return nil, err
	}
	var out []Finding
	found := func(path string, mine bool) {
		fi, err := os.Lstat(path)
		if err != nil || now.Sub(fi.ModTime()) < git.StaleLock {
			return
		}
		f := Finding{Kind: "stale-lock", Subject: displayPath(s, path), Why: fmt.Sprintf("it is %s old: a git that held it was killed", now.Sub(fi.ModTime()).Round(time.Second))}
		if mine {
			f.Fix, f.Mend = "remove it", func(context.Context) (string, error) { return "removed", os.Remove(path) }
		} else {
			f.Hint = "if no git command runs in this repository, remove it: rm " + path
		}
		out = append(out, f)
	}
	for _, dir := range []string{filepath.Join("refs", "heads", "entire"), filepath.Join("refs", "entire")} {
		err := filepath.WalkDir(filepath.Join(s.Repo.CommonDir, dir), func(path string, e os.DirEntry, err error) error {
			if err == nil && !e.IsDir() && strings.HasSuffix(path, ".lock") {
				found(path, isOwnLock(s, path))
			}
			return nil // a file that is removed in between is no finding
		})
		if err != nil {
			return out, err
		}
	}
	found(filepath.Join(s.Repo.CommonDir, "packed-refs.lock"), s.Repo.OwnPackedLock())
	theirs := []string{filepath.Join(s.Repo.GitDir, "index.lock"), filepath.Join(s.Repo.GitDir, "HEAD.lock")}
	for _, dir := range []string{s.Repo.CommonDir, s.Repo.GitDir} { // refs in tables, which have one lock
		theirs = append(theirs, filepath.Join(dir, "reftable", "tables.list.lock"))
	}
	for _, path := range slices.Compact(theirs) {
		found(path, false)
	}
	return out, ctx.Err()
}

// isOwnLock reports whether a lock file belongs to a ref that only we write.
func isOwnLock(s *sessionstate.Env, path string) bool {
	rel, err := filepath.Rel(s.Repo.CommonDir, strings.TrimSuffix(path, ".lock"))
	ref := filepath.ToSlash(rel)
	if err != nil || !strings.HasPrefix(ref, step.OwnRefRoot) {
		return err == nil
	}
	dir, _ := step.SplitOwnRef(ref)
	return step.OwnRefs[dir] != nil
}

// displayPath returns a path relative to the worktree's top if it is below it, otherwise the path
// itself.
func displayPath(s *sessionstate.Env, path string) string {
	if rel, err := filepath.Rel(s.Repo.Top, path); err == nil && filepath.IsLocal(rel) {
		return filepath.ToSlash(rel)
	}
	return path
}

// examineIndex finds an index that names trees which git has lost, so that a commit would lack
// them. Its entries suffice to write them again.
func examineIndex(ctx context.Context, s *sessionstate.Env) ([]Finding, error) {
	missing, err := s.Repo.MissingCachedTrees(ctx)
	if err != nil || len(missing) == 0 {
		return nil, err
	}
	backup := filepath.Join(s.LocalDir(), "index.before-repair")
	return []Finding{{Kind: "index", Subject: missing[0].Short(), Why: "the index names " + worktree.Counted(len(missing), "tree") + " that git has lost: the next commit would lack them, and gc fails",
		Fix: "rewrite them from the index's entries; staged changes stay staged, and a copy of the index is kept",
		Mend: func(ctx context.Context) (string, error) {
			data, err := os.ReadFile(filepath.Join(s.Repo.GitDir, "index"))
			if err == nil {
				err = durable.WriteFile(backup, data, 0o600)
			}
			if err == nil {
				err = s.Repo.RewriteCachedTrees(ctx)
			}
			if err != nil {
				return "", err
			}
			if left, err := s.Repo.MissingCachedTrees(ctx); err != nil || len(left) > 0 {
				return "", errors.Join(err, fmt.Errorf("%s still missing", worktree.Counted(len(left), "tree")))
			}
			return "rewritten; the old index is " + displayPath(s, backup), nil
		}}}, nil
}

// examineDestinations finds that the user's answers cannot be read, so that git push sends no
// sessions and does not say so.
func examineDestinations(_ context.Context, s *sessionstate.Env) ([]Finding, error) {
	_, err := ReadDestinations(s)
	if err == nil {
		return nil, nil
	}
	path := DestinationsFile(s)
	aside := path + ".unreadable"
	return []Finding{{Kind: "unreadable", Subject: filepath.Base(path), Why: err.Error() + ": git push takes no sessions along",
		Hint: "`entire share push --agree <remote>` agrees again", Fix: "move it aside, as " + filepath.Base(aside),
		Mend: func(context.Context) (string, error) {
			return "moved to " + displayPath(s, aside), os.Rename(path, aside)
		},
	}}, nil
}
