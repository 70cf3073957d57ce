package migrate

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"entire/checkpoint/metadata"
	"entire/checkpoint/records"
	"entire/id"
	"entire/internal/git"
)

// Target is where checkpoints move to.
type Target string

// The targets.
const (
	ToBranch Target = "branch"
	ToRefs   Target = "refs"
)

// A Plan is what Run would move.
type Plan struct {
	To      Target
	Move    []id.CheckpointID // sorted
	Differ  []id.CheckpointID // in both places, and neither content is an earlier version of the other: they stay
	Already int               // how many are at the target, and only there
}

// Find returns the plan for this repository. It reads the local metadata branch, or origin's if
// there is no local one, and the local refs.
func Find(ctx context.Context, repo *git.Repo, to Target) (*Plan, error) {
	p := &Plan{To: to}
	onBranch, err := branchTrees(ctx, repo)
	if err != nil {
		return nil, fmt.Errorf("find checkpoints: %w", err)
	}
	tips, err := refTips(ctx, repo)
	if err != nil {
		return nil, err
	}
	from, target := keys(onBranch), keys(tips)
	if to == ToBranch {
		from, target = target, from
	}
	var both []id.CheckpointID
	for cp := range from {
		if target[cp] {
			both = append(both, cp)
		}
	}
	p.Already = len(target) - len(both)
	differ, err := differing(ctx, repo, both, onBranch, tips)
	if err != nil {
		return nil, err
	}
	for cp := range from {
		if differ[cp] {
			p.Differ = append(p.Differ, cp)
		} else {
			p.Move = append(p.Move, cp)
		}
	}
	slices.SortFunc(p.Move, id.CheckpointID.Compare)
	slices.SortFunc(p.Differ, id.CheckpointID.Compare)
	return p, nil
}

func keys(m map[id.CheckpointID]git.OID) map[id.CheckpointID]bool {
	set := make(map[id.CheckpointID]bool, len(m))
	for cp := range maps.Keys(m) {
		set[cp] = true
	}
	return set
}

// branchTrees returns the tree of each checkpoint on the branch.
func branchTrees(ctx context.Context, repo *git.Repo) (map[id.CheckpointID]git.OID, error) {
	_, start, err := metadata.Tip(ctx, repo)
	if err != nil || start.IsZero() {
		return nil, err
	}
	c, err := repo.Reader(ctx).Commit(start)
	if err != nil {
		return nil, err
	}
	ids, err := records.NewReader(repo).IDsBelow(ctx, c.Tree)
	if err != nil {
		return nil, err
	}
	at, err := metadata.LookUp(repo.Reader(ctx), c.Tree, ids)
	if err != nil {
		return nil, err
	}
	trees := make(map[id.CheckpointID]git.OID, len(ids))
	for i, cp := range ids {
		trees[cp] = at[i]
	}
	return trees, nil
}

// refTips returns the commits of the refs of all checkpoints that are not forgotten.
func refTips(ctx context.Context, repo *git.Repo) (map[id.CheckpointID]git.OID, error) {
	reader := records.NewReader(repo)
	tips, err := reader.Tips(ctx, nil)
	if err != nil || len(tips) == 0 {
		return tips, err
	}
	stones, err := reader.Forgotten(ctx, nil)
	for cp := range stones {
		delete(tips, cp)
	}
	return tips, err
}

// differing returns the checkpoints that both places have with different contents, if neither
// content is an earlier version of the other.
func differing(ctx context.Context, repo *git.Repo, both []id.CheckpointID, onBranch, tips map[id.CheckpointID]git.OID) (map[id.CheckpointID]bool, error) {
	differ := map[id.CheckpointID]bool{}
	if len(both) == 0 {
		return differ, nil
	}
	chains, err := readChains(ctx, repo, both, tips)
	if err != nil {
		return nil, err
	}
	var versions map[id.CheckpointID][]version
	for _, cp := range both {
		chain := chains[cp]
		if chain == nil {
			differ[cp] = true
			continue
		}
		if chain.has(onBranch[cp]) {
			continue
		}
		if versions == nil {
			if versions, err = branchVersions(ctx, repo, both); err != nil {
				return nil, err
			}
		}
		differ[cp] = !slices.ContainsFunc(versions[cp], func(v version) bool { return v.tree == chain.tree() })
	}
	return differ, nil
}
