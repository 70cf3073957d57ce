package strategy

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"entire/checkpoint"
	"entire/id"
	"entire/internal/git"
)

// Forget removes checkpoints from the metadata branch for good; see [checkpoint.Forget]. They are
// also removed from the branch's reflog, from refs that an interrupted sync fetched from others,
// and from the kept turns of condensed steps.
func (s *ManualCommitStrategy) Forget(ctx context.Context, ids []id.CheckpointID, reason string, progress func(done, total int)) (old, tip git.OID, err error) {
	var content checkpoint.Extent
	turns := s.anyRefs(ownRefRoot + turnsFolder + "/")
	if turns {
		if content, err = checkpoint.NewRecords(s.repo).Extent(ctx, ids); err != nil {
			return old, tip, err
		}
	}
	who := s.repo.Identity(ctx)
	old, tip, err = checkpoint.Forget(ctx, s.repo, checkpoint.Forgetting{IDs: ids, Reason: reason, When: s.Now(), Author: who, Progress: progress})
	if err != nil {
		return old, tip, err
	}
	for _, cp := range ids {
		s.Log.Info("forgotten", "checkpoint_id", cp.String())
	}
	if turns {
		gone := map[id.CheckpointID]bool{}
		for _, cp := range ids {
			gone[cp] = true
		}
		if err := s.forgetTurns(ctx, gone, content); err != nil {
			return old, tip, err
		}
	}
	if err := checkpoint.DropFetched(ctx, s.repo); err != nil {
		s.Log.Warn("a fetched branch stays", "err", err)
	}
	return old, tip, s.dropLogs(ctx)
}

// dropLogs removes unreachable entries from the reflogs of the metadata branch and of its
// remote-tracking branches.
func (s *ManualCommitStrategy) dropLogs(ctx context.Context) error {
	refs, err := s.repo.Refs(ctx, "refs/remotes/**/"+checkpoint.MetadataBranch)
	if err != nil {
		return err
	}
	for _, ref := range append(refs, git.Ref{Name: checkpoint.MetadataRef}) {
		if err := checkpoint.DropReflog(ctx, s.repo, ref.Name); err != nil {
			return fmt.Errorf("clear the log of %s: %w", ref.Name, err)
		}
	}
	return nil
}

// dropOldLog clears a branch's reflog if the branch was rewritten without what is forgotten. A
// failure is only logged, because stored data is not affected.
func (s *ManualCommitStrategy) dropOldLog(ctx context.Context, ref string, tip, old git.OID) {
	replaced, err := checkpoint.Replaces(ctx, s.repo, tip, old)
	if err == nil && replaced {
		err = checkpoint.DropReflog(ctx, s.repo, ref)
	}
	if err != nil {
		s.Log.Warn("the log of a branch stays", "ref", ref, "err", err)
	}
}

// merge merges a destination's branch into the local one. over is theirs if the destination's
// branch has something forgotten and must be replaced, otherwise zero.
func (s *ManualCommitStrategy) merge(ctx context.Context, theirs git.OID) (over git.OID, err error) {
	before, _, err := s.repo.Ref(ctx, checkpoint.MetadataRef)
	if err != nil {
		return over, err
	}
	moved, err := checkpoint.Merge(ctx, s.repo, theirs)
	if err != nil {
		return over, err
	}
	tip, _, err := s.repo.Ref(ctx, checkpoint.MetadataRef)
	if err != nil {
		return over, err
	}
	if moved && !before.IsZero() {
		s.dropOldLog(ctx, checkpoint.MetadataRef, tip, before)
	}
	replaced, err := checkpoint.Replaces(ctx, s.repo, tip, theirs)
	if replaced {
		over = theirs
	}
	return over, err
}

// dropForgotten removes forgotten checkpoints from the local branch that a program without
// knowledge of tombstones has written again.
func (s *ManualCommitStrategy) dropForgotten(ctx context.Context) error {
	changed, err := checkpoint.Honour(ctx, s.repo)
	if err == nil && changed {
		err = errors.Join(checkpoint.DropReflog(ctx, s.repo, checkpoint.MetadataRef), s.dropForgottenTurns(ctx))
	}
	return err
}

// dropForgottenTurns drops the kept turns of commits whose checkpoints have a tombstone.
func (s *ManualCommitStrategy) dropForgottenTurns(ctx context.Context) error {
	if !s.anyRefs(ownRefRoot + turnsFolder + "/") {
		return nil
	}
	stones, err := checkpoint.NewRecords(s.repo).Forgotten(ctx, nil)
	if err != nil {
		return err
	}
	gone := map[id.CheckpointID]bool{}
	for cp := range stones {
		gone[cp] = true
	}
	return s.forgetTurns(ctx, gone, checkpoint.Extent{})
}

// forgottenTurns finds the refs that still keep turns of forgotten checkpoints.
func (s *ManualCommitStrategy) forgottenTurns(ctx context.Context, stones map[id.CheckpointID]checkpoint.Tombstone) ([]Finding, error) {
	if !s.anyRefs(ownRefRoot + turnsFolder + "/") {
		return nil, nil
	}
	days, err := s.allTurnDays(ctx)
	if err != nil {
		return nil, err
	}
	var out []Finding
	for _, day := range days {
		holds := false
		err := s.eachEntry(ctx, day.OID, func(e keptEntry) (bool, error) {
			_, holds = stones[e.Checkpoint]
			return !holds, nil
		})
		if err != nil {
			return nil, err
		}
		if holds {
			out = append(out, Finding{Kind: "forgotten", Subject: day.Name, Why: "it keeps turns of checkpoints that are forgotten", Fix: "drop those turns",
				Mend: func(ctx context.Context) (string, error) { return "dropped those turns", s.dropForgottenTurns(ctx) }})
		}
	}
	return out, nil
}

// examineForgotten finds forgotten checkpoints that were written again, or that refs of a remote
// still hold here.
func (s *ManualCommitStrategy) examineForgotten(ctx context.Context) ([]Finding, error) {
	records := checkpoint.NewRecords(s.repo)
	stones, err := records.Forgotten(ctx, nil)
	if err != nil || len(stones) == 0 {
		return nil, err
	}
	ids := make([]id.CheckpointID, 0, len(stones))
	for cp := range stones {
		ids = append(ids, cp)
	}
	out, err := s.forgottenTurns(ctx, stones)
	if err != nil {
		return nil, err
	}
	held, err := records.Holding(ctx, ids, checkpoint.Extent{})
	for _, ref := range held {
		f := Finding{Kind: "forgotten", Subject: ref, Why: "its history has checkpoints that are forgotten", Note: true, Hint: ForgottenHint(ref)}
		if ref == checkpoint.MetadataRef {
			f.Note, f.Hint, f.Fix = false, "", "rewrite it without them"
			f.Mend = func(ctx context.Context) (string, error) { return "rewrote it without them", s.mendForgotten(ctx) }
		}
		out = append(out, f)
	}
	return out, err
}

// mendForgotten removes forgotten checkpoints, and first merges the tombstones that only a
// remote's branch has.
func (s *ManualCommitStrategy) mendForgotten(ctx context.Context) error {
	remotes, err := s.repo.Remotes(ctx)
	if err != nil {
		return err
	}
	for _, remote := range remotes {
		if _, err := s.mergeTracked(ctx, destination{remote: remote}); err != nil {
			return err
		}
	}
	return s.dropForgotten(ctx)
}

// ForgottenHint says how to remove forgotten content from one of the refs that
// [checkpoint.Records.Holding] lists.
func ForgottenHint(ref string) string {
	if remote, ok := strings.CutSuffix(strings.TrimPrefix(ref, "refs/remotes/"), "/"+checkpoint.MetadataBranch); ok && strings.HasPrefix(ref, "refs/remotes/") {
		return "`entire push " + remote + "` replaces it there and here"
	}
	switch {
	case ref == checkpoint.LegacyRef:
		return "it is of an older version, and only read: `git branch -D " + strings.TrimPrefix(ref, "refs/heads/") + "` removes it"
	case ref == checkpoint.LegacyRemoteRef:
		return "it is of an older version, and only read: `git push origin --delete " + strings.TrimPrefix(ref, "refs/remotes/origin/") + "` removes it"
	case strings.HasPrefix(ref, ownRefRoot+turnsFolder+"/"):
		return "turns that can still be gone back to: `git update-ref -d " + ref + "` removes those of that day"
	case strings.HasPrefix(ref, "refs/entire/undo/"), strings.HasPrefix(ref, "refs/entire/labels/"), strings.HasPrefix(ref, "refs/entire/orphans/"):
		return "steps that can still be gone back to: `entire clean --force` removes them once they are not needed, `git update-ref -d " + ref + "` at once"
	}
	return "work that is in no commit yet: it goes with the next commit, or with `entire reset`"
}

// accounted reports which checkpoints are stored or forgotten: nothing of these is missing.
func (s *ManualCommitStrategy) accounted(ctx context.Context, ids []id.CheckpointID) (map[id.CheckpointID]bool, error) {
	records := checkpoint.NewRecords(s.repo)
	known, err := records.Exists(ctx, ids)
	if err != nil {
		return nil, err
	}
	stones, err := records.Forgotten(ctx, ids)
	for cp := range stones {
		known[cp] = true
	}
	return known, err
}
