package strategy

import (
	"context"
	"path/filepath"
	"strings"

	"entire/checkpoint"
	"entire/id"
	"entire/session"
)

// strategyAuto is the strategy that auto-commit's checkpoints name.
const strategyAuto = "auto-commit"

// orphanCheckpoints adds auto-commit's checkpoints that no commit reachable by a ref or a reflog
// links to. Checkpoints of manual-commit are never orphaned: their commit may be amended or made
// elsewhere. A checkpoint that was shared counts only if its session was here, because another
// person's commit may be in their repository alone.
func (s *ManualCommitStrategy) orphanCheckpoints(ctx context.Context, sums []session.Summary, plan *CleanupPlan) error {
	if exists(filepath.Join(s.repo.CommonDir, "shallow")) {
		return nil // a shallow clone lacks older commits, which may link to it
	}
	candidates, err := s.autoCheckpoints(ctx)
	if err != nil || len(candidates) == 0 {
		return err
	}
	var ids []id.CheckpointID
	for _, cp := range candidates {
		ids = append(ids, cp.Summary.CheckpointID)
	}
	records := checkpoint.NewRecords(s.repo)
	at, err := records.Local(ctx, ids)
	if err != nil {
		return err
	}
	shared, err := records.Shared(ctx, ids)
	if err != nil {
		return err
	}
	named, err := s.namedCheckpoints(ctx)
	if err != nil {
		return err
	}
	here := map[string]bool{}
	for _, sum := range sums {
		here[sum.ID.String()] = true
	}
	for _, cp := range candidates {
		cid, info := cp.Summary.CheckpointID, cp.Info()
		if at[cid].IsZero() || named[cid] || shared[cid] && !here[info.SessionID] || s.Now().Sub(info.CreatedAt) < settleAge {
			continue
		}
		plan.add(Orphan{Kind: OrphanCheckpoint, Name: cid.String(), Why: "no commit names it", oid: at[cid]})
	}
	return nil
}

// autoCheckpoints returns the readable checkpoints of the auto-commit strategy.
func (s *ManualCommitStrategy) autoCheckpoints(ctx context.Context) ([]checkpoint.StoredCheckpoint, error) {
	records := checkpoint.NewRecords(s.repo)
	ids, err := records.ListIDs(ctx)
	if err != nil {
		return nil, err
	}
	all, err := records.ReadMany(ctx, ids)
	if err != nil {
		return nil, err
	}
	var out []checkpoint.StoredCheckpoint
	for _, cp := range all {
		if cp.Summary.Strategy == strategyAuto && cp.Err == nil {
			out = append(out, cp)
		}
	}
	return out, nil
}

// namedCheckpoints returns the checkpoints that a commit links to, on any branch, tag, stash or
// remote-tracking branch, in any worktree, or in a reflog, and those with a stored link.
func (s *ManualCommitStrategy) namedCheckpoints(ctx context.Context) (map[id.CheckpointID]bool, error) {
	out, err := s.repo.Run(ctx, "log", "-z", "--no-show-signature", "--format=%B", "--grep="+checkpoint.TrailerCheckpoint,
		"--exclude=refs/heads/entire/*", "--exclude=refs/entire/*", "--all", "--reflog")
	if err != nil {
		return nil, err
	}
	named := map[id.CheckpointID]bool{}
	for _, message := range strings.Split(string(out), "\x00") {
		for _, cp := range checkpoint.ParseCheckpointTrailers(message) {
			named[cp] = true
		}
	}
	links, err := checkpoint.NewRecords(s.repo).Links(ctx)
	for _, cps := range links {
		for _, cp := range cps {
			named[cp] = true
		}
	}
	return named, err
}
