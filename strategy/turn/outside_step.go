package turn

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"entire/checkpoint/shadow"
	"entire/internal/git"
	"entire/session"
	"entire/strategy/condense"
	"entire/strategy/rewind"
	"entire/strategy/sessionstate"
	"entire/strategy/step"
	"entire/strategy/worktree"
)

// turnForgotten is the time without an event and without a word in the transcript after which a turn counts as one
// whose end nobody reported, as when a person stops the agent with Esc.
const turnForgotten = time.Hour

// An Outside is what SaveOutside did.
type Outside struct {
	Step  git.OID // the step that holds the files; zero if HEAD does and there is none
	New   bool    // the step was made now
	Files int     // number of files that a new step changed
	Bytes int64   // their size
	Busy  string  // why nothing was saved now, "" if it was
}

// SaveOutside saves what changed since the last step as a person's step, if anything did. While a turn runs,
// or git or a rewind changes files, it saves nothing and says why in Busy.
func SaveOutside(ctx context.Context, s *sessionstate.Env) (out Outside, err error) {
	if out.Busy = busy(ctx, s); out.Busy != "" {
		return out, nil
	}
	defer condense.ApplyMoves(ctx, s)
	sid, err := sessionForLabel(ctx, s)
	if err != nil {
		return out, fmt.Errorf("save changes: %w", err)
	}
	var w step.WrittenStep
	var n step.NewStep
	if sid.IsZero() {
		n, w, err = stepByHand(ctx, s, nil, shadow.WhyOutside)
	} else {
		err = s.UpdateSession(ctx, sid, func(o *sessionstate.LockedSession) (err error) {
			if out.Busy = busy(ctx, s); out.Busy == "" { // a turn may have begun while this waited for the lock
				n, w, err = stepByHand(ctx, s, o, shadow.WhyOutside)
			}
			return err
		})
	}
	if err != nil || out.Busy != "" || w.Skipped || w.Commit.IsZero() {
		out.Step = w.Commit
		return out, wrapped(err)
	}
	out.Step, out.New = w.Commit, true
	out.Files, out.Bytes, err = sizeOf(ctx, s, n.Snap.Head, w)
	return out, wrapped(err)
}

func wrapped(err error) error {
	if err != nil {
		return fmt.Errorf("save changes: %w", err)
	}
	return nil
}

// sizeOf returns how many files a step changed, and how large they are now.
func sizeOf(ctx context.Context, s *sessionstate.Env, head git.OID, w step.WrittenStep) (files int, bytes int64, err error) {
	before, err := worktree.HeadTree(ctx, s, head)
	if err == nil && !w.Parent.IsZero() {
		var parent git.Commit
		parent, _, err = s.Repo.Reader(ctx).CommitOf(w.Parent.String())
		before = parent.Tree
	}
	if err != nil {
		return 0, 0, err
	}
	changes, err := step.CodeDiff(ctx, s, before, w.Tree)
	for _, c := range changes {
		if info, err := os.Lstat(filepath.Join(s.Repo.Top, filepath.FromSlash(c.Path))); err == nil && info.Mode().IsRegular() {
			bytes += info.Size()
		}
	}
	return len(changes), bytes, err
}

// busy says why the files are not to be saved now, "" if they are.
func busy(ctx context.Context, s *sessionstate.Env) string {
	for _, op := range [][2]string{
		{"MERGE_HEAD", "a merge"}, {"CHERRY_PICK_HEAD", "a cherry-pick"}, {"REVERT_HEAD", "a revert"},
		{"rebase-merge", "a rebase"}, {"rebase-apply", "a rebase"}, {"sequencer", "a sequence of picks"},
	} {
		if sessionstate.PathExists(filepath.Join(s.Repo.GitDir, op[0])) || s.Repo.RefFile(ctx, op[0]) != nil {
			return op[1] + " is in progress"
		}
	}
	switch {
	case s.Repo.IndexLocked() || sessionstate.PathExists(filepath.Join(s.Repo.GitDir, "HEAD.lock")):
		return "git is changing the worktree"
	case rewind.UnderWay(s):
		return "a rewind is in progress"
	case activeTurn(ctx, s):
		return "a turn is running"
	}
	return ""
}

// activeTurn reports whether a session of this worktree is in a turn.
func activeTurn(ctx context.Context, s *sessionstate.Env) bool {
	sums, err := s.Store.Summaries(ctx)
	for _, sum := range sums {
		if sum.Phase == session.PhaseActive && s.InThisWorktree(sum.WorktreePath, sum.WorktreeID) && s.Now().Sub(lastSign(ctx, s, sum)) < turnForgotten {
			return true
		}
	}
	return err != nil // whoever cannot read the sessions attributes nothing to anybody
}

// lastSign returns when a session's agent last showed that it works.
func lastSign(ctx context.Context, s *sessionstate.Env, sum session.Summary) time.Time {
	last := sum.LastInteraction
	if s.Now().Sub(last) < turnForgotten {
		return last
	}
	if st, err := s.Store.Load(ctx, sum.ID); err == nil && st.TranscriptPath != "" {
		if info, err := os.Stat(st.TranscriptPath); err == nil && info.ModTime().After(last) {
			return info.ModTime()
		}
	}
	return last
}
