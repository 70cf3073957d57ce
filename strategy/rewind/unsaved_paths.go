package rewind

import (
	"context"
	"fmt"

	"entire/internal/git"
	"entire/strategy/restore"
	"entire/strategy/sessionstate"
)

// unsavedPaths returns the paths whose present content differs from what git reported, so that no
// snapshot holds it: files marked as unchanged, or written without a change of their time.
func unsavedPaths(ctx context.Context, s *sessionstate.Env, wt *git.Worktree, changes []restore.JournalChange) (map[string]bool, error) {
	out := map[string]bool{}
	var unclear []restore.JournalChange
	for _, c := range changes {
		if c.OldMode == 0 {
			continue
		}
		oid, mode, err := wt.RawOID(s.Repo, c.Text())
		if err == nil && restore.MatchesTree(s, sessionstate.PathVersion{Mode: mode, OID: oid}, c.OldMode, c.Old) {
			continue
		}
		unclear = append(unclear, c) // a filter may make the difference
	}
	if len(unclear) == 0 {
		return out, nil
	}
	disk, err := restore.HashOnDisk(ctx, s, unclear)
	if err != nil {
		return nil, err
	}
	for _, c := range unclear {
		if !restore.MatchesTree(s, disk[c.Text()], c.OldMode, c.Old) {
			out[c.Text()] = true
		}
	}
	return out, nil
}

// leaveUnsaved removes from the plan the changes that would destroy unsaved content.
func leaveUnsaved(ctx context.Context, s *sessionstate.Env, wt *git.Worktree, plan *Plan) error {
	changes := make([]restore.JournalChange, len(plan.Changes))
	for i, c := range plan.Changes {
		changes[i] = plannedOf(c.Change)
	}
	unsaved, err := unsavedPaths(ctx, s, wt, changes)
	if err != nil || len(unsaved) == 0 {
		return err
	}
	rest := plan.Changes[:0]
	for _, c := range plan.Changes {
		if unsaved[c.Path] {
			plan.Kept = append(plan.Kept, sessionstate.KeptFile{Path: c.Path, Why: "its present content is in no snapshot; git takes it for unchanged"})
		} else {
			rest = append(rest, c)
		}
	}
	plan.Changes = rest
	return dropBlocked(s, wt, plan) // other changes may need the removal of these paths
}

func plannedOf(c git.Change) restore.JournalChange {
	return restore.JournalChange{Path: sessionstate.EncodePath(c.Path), OldMode: c.OldMode, NewMode: c.NewMode, Old: c.Old, New: c.New}
}

// checkAllSaved returns an error if the rewind would replace content that no snapshot holds.
func checkAllSaved(ctx context.Context, s *sessionstate.Env, j *restore.RewindJournal) error {
	wt, err := s.Repo.OpenWorktree()
	if err != nil {
		return err
	}
	defer wt.Close()
	unsaved, err := unsavedPaths(ctx, s, wt, j.Changes)
	if err != nil {
		return err
	}
	for p := range unsaved {
		return fmt.Errorf("%w: %s", restore.ErrWorktreeMoved, p)
	}
	return nil
}
