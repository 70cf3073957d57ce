package maintain

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"entire/checkpoint/records"
	"entire/checkpoint/trailer"
	"entire/id"
	"entire/session"
	"entire/strategy/handoff"
	"entire/strategy/resume"
	"entire/strategy/sessionstate"
	"entire/strategy/step"
)

// strategyAuto is the strategy that auto-commit's checkpoints name.
const strategyAuto = "auto-commit"

// orphanCheckpoints adds auto-commit's checkpoints that no commit reachable by a ref or a reflog
// links to. Checkpoints of manual-commit are never orphaned: their commit may be amended or made
// elsewhere. A checkpoint that was shared counts only if its session was here, because another
// person's commit may be in their repository alone.
func orphanCheckpoints(ctx context.Context, s *sessionstate.Env, sums []session.Summary, plan *handoff.CleanupPlan) error {
	if sessionstate.PathExists(filepath.Join(s.Repo.CommonDir, "shallow")) {
		return nil // a shallow clone lacks older commits, which may link to it
	}
	candidates, err := autoCheckpoints(ctx, s)
	if err != nil || len(candidates) == 0 {
		return err
	}
	var ids []id.CheckpointID
	for _, cp := range candidates {
		ids = append(ids, cp.Summary.CheckpointID)
	}
	reader := records.NewReader(s.Repo)
	at, err := reader.Local(ctx, ids)
	if err != nil {
		return err
	}
	shared, err := reader.Shared(ctx, ids)
	if err != nil {
		return err
	}
	named, err := namedCheckpoints(ctx, s)
	if err != nil {
		return err
	}
	here := map[string]bool{}
	for _, sum := range sums {
		here[sum.ID.String()] = true
	}
	for _, cp := range candidates {
		cid, info := cp.Summary.CheckpointID, cp.Info()
		if at[cid].IsZero() || named[cid] || shared[cid] && !here[info.SessionID] || s.Now().Sub(info.CreatedAt) < step.OrphanAge {
			continue
		}
		plan.Add(handoff.Orphan{Kind: handoff.OrphanCheckpoint, Name: cid.String(), Why: "no commit names it", OID: at[cid]})
	}
	return nil
}

// autoCheckpoints returns the readable checkpoints of the auto-commit strategy.
func autoCheckpoints(ctx context.Context, s *sessionstate.Env) ([]records.StoredCheckpoint, error) {
	parts, err := resume.OpenStoredSessions(s).Parts(ctx)
	if err != nil {
		return nil, err
	}
	var ids []id.CheckpointID
	for _, p := range parts {
		if p.Strategy == strategyAuto {
			ids = append(ids, p.Checkpoint)
		}
	}
	all, err := records.NewReader(s.Repo).ReadMany(ctx, slices.Compact(ids))
	if err != nil {
		return nil, err
	}
	var out []records.StoredCheckpoint
	for _, cp := range all {
		if cp.Summary.Strategy == strategyAuto && cp.Err == nil {
			out = append(out, cp)
		}
	}
	return out, nil
}

// namedCheckpoints returns the checkpoints that a commit links to, on any branch, tag, stash or
// remote-tracking branch, in any worktree, or in a reflog, and those with a stored link.
func namedCheckpoints(ctx context.Context, s *sessionstate.Env) (map[id.CheckpointID]bool, error) {
	out, err := s.Repo.Run(ctx, "log", "-z", "--no-show-signature", "--format=%B", "--grep="+trailer.Checkpoint,
		"--exclude=refs/heads/entire/*", "--exclude=refs/entire/*", "--all", "--reflog")
	if err != nil {
		return nil, err
	}
	named := map[id.CheckpointID]bool{}
	for _, message := range strings.Split(string(out), "\x00") {
		for _, cp := range trailer.ParseCheckpointTrailers(message) {
			named[cp] = true
		}
	}
	links, err := records.NewReader(s.Repo).Links(ctx)
	for _, cps := range links {
		for _, cp := range cps {
			named[cp] = true
		}
	}
	return named, err
}
