package strategy

import (
	"context"
	"io"

	"entire/checkpoint"
)

// EnsureSetup makes sure that the metadata branch exists.
func (s *ManualCommitStrategy) EnsureSetup(ctx context.Context) error {
	return checkpoint.EnsureMetadataBranch(ctx, s.repo)
}

// PrePush will send the metadata branch along to a destination that was agreed
// to. Nothing is sent yet.
func (s *ManualCommitStrategy) PrePush(ctx context.Context, remote, url string, stdin io.Reader) error {
	return nil
}

// Recover finishes what a crash left behind. The lines it returns are for a
// person to read; a hook logs them.
func (s *ManualCommitStrategy) Recover(ctx context.Context) ([]string, error) {
	return nil, nil
}
