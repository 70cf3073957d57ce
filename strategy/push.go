package strategy

import (
	"context"
	"io"
)

// PrePush is called before git pushes to a remote. The metadata branch goes
// only to destinations the user agreed to, and none can be agreed to yet:
// nothing is sent.
func (s *ManualCommitStrategy) PrePush(ctx context.Context, remote, url string, refs io.Reader) error {
	return nil
}
