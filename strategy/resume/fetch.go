package resume

import (
	"context"

	"entire/checkpoint/metadata"
	"entire/id"
	"entire/strategy/sessionstate"
)

// fetchRefs fetches those of the checkpoints that are in refs of their own.
func fetchRefs(ctx context.Context, s *sessionstate.Env, req Request, remote string, cps []id.CheckpointID) error {
	var refs []string
	for _, cp := range cps {
		if cp.IsULID() {
			refs = append(refs, metadata.CheckpointRef(cp))
		}
	}
	if len(refs) == 0 {
		return nil
	}
	url, err := s.Repo.FetchURL(ctx, remote)
	if err != nil {
		return err
	}
	n, ctx, cancel := resumeNetwork(ctx, s, req)
	defer cancel()
	return n.FetchRefs(ctx, url, refs)
}

func fetchMetadata(ctx context.Context, s *sessionstate.Env, req Request, remote string) error {
	url, err := s.Repo.FetchURL(ctx, remote)
	if err != nil {
		return err
	}
	n, ctx, cancel := resumeNetwork(ctx, s, req)
	defer cancel()
	_, err = FetchAndMerge(ctx, s, n, Destination{Remote: remote, URL: url, Shown: s.Repo.PlainURL(url)})
	return err
}
