package share

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"entire/checkpoint/epoch"
	"entire/checkpoint/records"
	"entire/id"
	"entire/internal/git"
	"entire/strategy/resume"
	"entire/strategy/sessionstate"
)

// Wanted is what Fetch gets from a remote, besides the manifests.
type Wanted struct {
	Checkpoints []id.CheckpointID // sealed ones whose content is wanted
	Months      []epoch.Month     // whose checkpoints are all wanted
	All         bool              // all months
}

// Fetched is what Fetch got.
type Fetched struct {
	Epochs      int               // how many this clone knows now
	Sealed      int               // how many checkpoints their manifests list
	Checkpoints []id.CheckpointID // whose content came
	Missing     []id.CheckpointID // asked for, and still not here
	Months      []epoch.Month     // whose content came
}

// Fetch gets the manifests of a remote's epochs, and what else is wanted of it. The remote need not be agreed to:
// nothing is sent.
func Fetch(ctx context.Context, s *sessionstate.Env, n *git.Network, remote string, want Wanted) (Fetched, error) {
	var got Fetched
	url, err := s.Repo.FetchURL(ctx, remote)
	if err != nil {
		return got, err
	}
	to := resume.Destination{Remote: remote, URL: url, Shown: s.Repo.PlainURL(url)}
	if err := receiveEpochs(ctx, s, n, to); err != nil {
		return got, err
	}
	set, err := epoch.Load(ctx, s.Repo)
	if err != nil {
		return got, err
	}
	got.Epochs = len(set)
	if got.Sealed, err = countSealed(ctx, s); err != nil {
		return got, err
	}
	for _, m := range set {
		if _, here, err := s.Repo.Ref(ctx, m.Month.BodyRef()); err != nil {
			return got, err
		} else if !here && (want.All || slices.Contains(want.Months, m.Month)) {
			got.Months = append(got.Months, m.Month)
		}
	}
	if err := fetchEpochs(ctx, s, n, to, got.Months, true); err != nil {
		return got, err
	}
	got.Checkpoints, err = fetchSealed(ctx, s, n, url, want.Checkpoints)
	if err != nil {
		return got, err
	}
	here, err := records.NewReader(s.Repo).Exists(ctx, want.Checkpoints)
	for _, cp := range want.Checkpoints {
		if !here[cp] {
			got.Missing = append(got.Missing, cp)
		}
	}
	return got, err
}

// fetchSealed fetches the content of sealed checkpoints that is not here: their pages in one connection, then they
// themselves in another.
func fetchSealed(ctx context.Context, s *sessionstate.Env, n *git.Network, url string, ids []id.CheckpointID) (came []id.CheckpointID, err error) {
	reader := records.NewReader(s.Repo)
	_, absent, err := reader.Sealed(ctx, ids)
	if err != nil {
		return nil, err
	}
	var pages []git.OID
	for _, page := range absent {
		if !slices.Contains(pages, page) {
			pages = append(pages, page)
		}
	}
	if err := n.FetchObjects(ctx, url, pages); err != nil {
		return nil, fmt.Errorf("fetch what says where the checkpoints are: %w", err)
	}
	rows, _, err := reader.Sealed(ctx, ids)
	if err != nil {
		return nil, err
	}
	var trees []git.OID
	for cp, row := range rows {
		_, err := s.Repo.Reader(ctx).Tree(row.Tree)
		if err == nil {
			continue
		}
		if !errors.Is(err, git.ErrMissing) {
			return nil, err
		}
		trees, came = append(trees, row.Tree), append(came, cp)
	}
	if err := n.FetchObjects(ctx, url, trees); err != nil {
		return nil, fmt.Errorf("fetch checkpoints: %w", err)
	}
	return came, nil
}
