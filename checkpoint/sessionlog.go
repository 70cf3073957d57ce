package checkpoint

import (
	"context"
	"fmt"
	"os"

	"entire/checkpoint/records"
	"entire/id"
	"entire/internal/git"
)

// LookupSessionLog retrieves the transcript and the session ID of the checkpoint's latest
// session in the repository around the current directory. It returns the errors of
// GitStore.GetSessionLog.
func LookupSessionLog(cpID id.CheckpointID) ([]byte, string, error) {
	ctx := withoutContext()
	dir, err := os.Getwd()
	if err != nil {
		return nil, "", err
	}
	r, err := git.Discover(ctx, dir, os.Environ())
	if err != nil {
		return nil, "", err
	}
	defer r.Close()
	return sessionLog(ctx, r, cpID)
}

func sessionLog(ctx context.Context, r *git.Repo, cp id.CheckpointID) (transcript []byte, sessionID string, err error) {
	c, err := records.NewReader(r).LatestSession(ctx, cp)
	if c == nil {
		return nil, "", err
	}
	if err == nil && len(c.Transcript) == 0 {
		err = fmt.Errorf("checkpoint %s: %w", cp, ErrNoTranscript)
	}
	return c.Transcript, c.Metadata.SessionID, err
}

// withoutContext is the context of the documented functions that take none.
func withoutContext() context.Context { return context.Background() }
