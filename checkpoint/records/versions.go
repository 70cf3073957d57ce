package records

import (
	"context"
	"fmt"
	"slices"
	"time"

	"entire/agent"
	"entire/checkpoint/chunk"
	"entire/checkpoint/metadata"
	"entire/id"
	"entire/internal/git"
)

// A Version is a checkpoint in one state: as long as the tree is the same, so is everything in
// it.
type Version struct {
	ID   id.CheckpointID
	Tree git.OID
}

// Versions lists the checkpoints of a state without reading them. If a checkpoint is in several
// places, it lists the version that the other methods would read.
func (r *Reader) Versions(ctx context.Context, state State) ([]Version, error) {
	folders, err := r.checkpointTrees(ctx, state)
	if err != nil {
		return nil, fmt.Errorf("list checkpoints: %w", err)
	}
	seen := map[id.CheckpointID]bool{}
	var out []Version
	for _, f := range folders {
		if !seen[f.ID] {
			seen[f.ID] = true
			out = append(out, Version{f.ID, f.Tree})
		}
	}
	return out, nil
}

// Contents is what a version stores of its sessions.
type Contents struct {
	Version
	StoredCheckpoint
	Prompts       [][]string // the prompts of each of its sessions
	Conversations []Conversation
}

// Contents reads versions, in the order of the argument; a version that the repository does not
// have is empty.
func (r *Reader) Contents(ctx context.Context, versions []Version) ([]Contents, error) {
	var out []Contents
	for some := range slices.Chunk(versions, verifyBatch) {
		if err := ctx.Err(); err != nil {
			return nil, fmt.Errorf("read checkpoints: %w", err)
		}
		folders := make([]*metadata.Folder, len(some))
		for i, v := range some {
			folders[i] = &metadata.Folder{ID: v.ID, Tree: v.Tree}
		}
		if err := r.fill(ctx, folders); err != nil {
			return nil, fmt.Errorf("read checkpoints: %w", err)
		}
		var ask chunk.Batch
		for i, f := range folders {
			out = append(out, Contents{Version: some[i], StoredCheckpoint: stored(f), Conversations: Conversations(f), Prompts: askForPrompts(&ask, f)})
		}
		if err := ask.Run(r.Repo.Reader(ctx)); err != nil {
			return nil, fmt.Errorf("read checkpoints: %w", err)
		}
	}
	return out, nil
}

// askForPrompts returns the lists into which the batch puts the prompts of a checkpoint's sessions, when it is run.
func askForPrompts(ask *chunk.Batch, f *metadata.Folder) [][]string {
	prompts := make([][]string, len(f.Slots))
	for n := range f.Slots {
		if e, ok := f.Slots[n].File(metadata.PromptName); ok {
			ask.Add(e.OID.String(), func(o git.Object) error {
				prompts[n] = metadata.SplitPrompts(string(o.Data))
				return nil
			})
		}
	}
	return prompts
}

// ConversationOf returns the conversation of a session in a version, for Open. The caller knows when it
// was written and whether its messages are stored.
func (v Version) ConversationOf(sessionID string, kind agent.AgentType, written time.Time, stored bool) Conversation {
	return Conversation{Checkpoint: v.ID, SessionID: sessionID, Agent: kind, Written: written, Stored: stored, tree: v.Tree}
}
