package checkpoint

import (
	"context"
	"fmt"
	"slices"
	"time"

	"entire/agent"
	"entire/id"
	"entire/internal/git"
)

// A Version is a checkpoint in one state of the metadata branch: as long as the tree is the
// same, so is everything in it.
type Version struct {
	ID   id.CheckpointID
	Tree git.OID
}

// Versions lists the checkpoints below roots, which TalkRoots returns, without reading them. If
// several roots have a checkpoint, it lists the version of the first.
func (r *Records) Versions(ctx context.Context, roots []git.OID) ([]Version, error) {
	folders, err := r.checkpointTrees(ctx, roots)
	if err != nil {
		return nil, fmt.Errorf("list checkpoints: %w", err)
	}
	seen := map[id.CheckpointID]bool{}
	var out []Version
	for _, f := range folders {
		if !seen[f.id] {
			seen[f.id] = true
			out = append(out, Version{f.id, f.tree})
		}
	}
	return out, nil
}

// Contents is what a version stores of its sessions.
type Contents struct {
	Version
	StoredCheckpoint
	Prompts [][]string // the prompts of each of its sessions
	Talks   []Talk
}

// Contents reads versions, in the order of the argument; a version that the repository does not
// have is empty.
func (r *Records) Contents(ctx context.Context, versions []Version) ([]Contents, error) {
	var out []Contents
	for some := range slices.Chunk(versions, verifyBatch) {
		if err := ctx.Err(); err != nil {
			return nil, fmt.Errorf("read checkpoints: %w", err)
		}
		folders := make([]*folder, len(some))
		for i, v := range some {
			folders[i] = &folder{id: v.ID, tree: v.Tree}
		}
		if err := r.fill(ctx, folders); err != nil {
			return nil, fmt.Errorf("read checkpoints: %w", err)
		}
		var ask batch
		for i, f := range folders {
			c := Contents{Version: some[i], StoredCheckpoint: f.stored(), Talks: f.talks(), Prompts: make([][]string, len(f.slots))}
			for n := range f.slots {
				if e, ok := f.slots[n].file(promptName); ok {
					ask.add(e.OID.String(), func(o git.Object) error {
						c.Prompts[n] = SplitPrompts(string(o.Data))
						return nil
					})
				}
			}
			out = append(out, c)
		}
		if err := ask.run(r.repo.Reader(ctx)); err != nil {
			return nil, fmt.Errorf("read checkpoints: %w", err)
		}
	}
	return out, nil
}

// TalkOf returns the conversation of a session in a version, for Open. The caller knows when it
// was written and whether its messages are stored.
func (v Version) TalkOf(sessionID string, kind agent.AgentType, written time.Time, stored bool) Talk {
	return Talk{Checkpoint: v.ID, SessionID: sessionID, Agent: kind, Written: written, Stored: stored, tree: v.Tree}
}
