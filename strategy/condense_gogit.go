//go:build !nogogit

package strategy

import (
	"context"
	"errors"
	"fmt"

	gogit "github.com/go-git/go-git/v5"

	"entire/id"
	"entire/internal/git"
	"entire/strategy/engine"
)

// CondenseSession writes what a session has accumulated since its last checkpoint to the metadata
// branch as checkpointID. It reads the live transcript or, if that is gone, the transcript of the
// last step. The state and the shadow branch stay as they are: the caller updates them, depending on
// the commit that the checkpoint is for.
func (s *ManualCommitStrategy) CondenseSession(repo *gogit.Repository, checkpointID id.CheckpointID, state *SessionState) (*CondenseResult, error) {
	if checkpointID.IsZero() || state == nil || state.SessionID.IsZero() {
		return nil, errors.New("condense session: a checkpoint ID and the state of a session are needed")
	}
	ctx := context.Background()
	r, err := git.FromGoGit(ctx, repo)
	if err != nil {
		return nil, fmt.Errorf("condense session %s: %w", state.SessionID, err)
	}
	defer r.Close()
	env := forProgram(r)
	env.Auto = s != nil && s.env != nil && s.env.Auto
	res, err := engine.CondenseSession(ctx, env, checkpointID, state)
	if err != nil {
		return nil, fmt.Errorf("condense session %s: %w", state.SessionID, err)
	}
	return res, nil
}
