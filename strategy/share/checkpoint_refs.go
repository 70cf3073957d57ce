package share

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"strings"

	"entire/checkpoint/epoch"
	"entire/checkpoint/metadata"
	"entire/checkpoint/records"
	"entire/checkpoint/sealing"
	"entire/id"
	"entire/internal/git"
	"entire/strategy/maintain"
	"entire/strategy/resume"
	"entire/strategy/sessionstate"
	"entire/strategy/step"
)

// ErrRefused is returned for checkpoints that have other content at the destination.
var ErrRefused = errors.New("somebody else has changed them there")

// refsState returns a short text for the checkpoints in refs of their own: while it is the same, a
// destination needs nothing new. It is "" if there are none.
func refsState(ctx context.Context, s *sessionstate.Env) (string, error) {
	if !step.MayHaveRefs(s, metadata.CheckpointRefs) {
		return "", nil
	}
	refs, err := s.Repo.Refs(ctx, metadata.CheckpointRefs)
	if err != nil || len(refs) == 0 {
		return "", err
	}
	sum := sha256.New()
	for _, ref := range refs {
		fmt.Fprintf(sum, "%s %s\n", ref.OID, ref.Name)
	}
	return fmt.Sprintf("%x", sum.Sum(nil)[:16]), nil
}

// sendRefs pushes the checkpoints in refs of their own, and deletes those that are forgotten. Unless the
// state is what the destination was last sent, it asks there even if there is nothing to send.
func sendRefs(ctx context.Context, s *sessionstate.Env, n *git.Network, to resume.Destination, done *Pushed) error {
	state, err := refsState(ctx, s)
	if err != nil {
		return err
	}
	d, err := maintain.ReadDestinations(s)
	if err != nil {
		return err
	}
	if a := find(&d, to.Shown); a != nil && a.SentRefs == state {
		return nil
	}
	if err := deleteForgotten(ctx, s, n, to); err != nil {
		return err
	}
	if state == "" {
		return recordRefs(ctx, s, to, state)
	}
	pushed, err := n.PushFolder(ctx, to.URL, metadata.CheckpointRefs)
	done.Refs += len(pushed.New) + len(pushed.Moved)
	if err != nil {
		return err
	}
	if names := refused(pushed); len(names) > 0 {
		return fmt.Errorf("%d checkpoint(s) not sent, such as %s: %w", len(names), names[0], ErrRefused)
	}
	return recordRefs(ctx, s, to, state)
}

func recordRefs(ctx context.Context, s *sessionstate.Env, to resume.Destination, state string) error {
	return updateDestinations(ctx, s, func(d *maintain.Destinations) {
		if a := find(d, to.Shown); a != nil {
			a.SentRefs = state
		}
	})
}

// refused returns the IDs of the checkpoints that were refused, sorted.
func refused(p git.PushedRefs) (names []string) {
	for ref := range p.Refused {
		names = append(names, ref[strings.LastIndexByte(ref, '/')+1:])
	}
	slices.Sort(names)
	return names
}

// deleteForgotten deletes the refs of forgotten checkpoints at the destination.
func deleteForgotten(ctx context.Context, s *sessionstate.Env, n *git.Network, to resume.Destination) error {
	stones, err := records.NewReader(s.Repo).Forgotten(ctx, nil)
	if err != nil || len(stones) == 0 {
		return err
	}
	there, err := n.List(ctx, to.URL, metadata.CheckpointRefs)
	if err != nil {
		return err
	}
	for _, ref := range there {
		cp, ok := metadata.ParseCheckpointRef(ref.Name)
		if _, gone := stones[cp]; !ok || !gone {
			continue
		}
		if _, err := n.Delete(ctx, to.URL, ref.OID, ref.Name); err != nil {
			return fmt.Errorf("delete forgotten checkpoint %s: %w", cp, err)
		}
	}
	return nil
}

// receiveRefs fetches what others have added to checkpoints that are in refs here.
func receiveRefs(ctx context.Context, s *sessionstate.Env, n *git.Network, to resume.Destination) (received int, err error) {
	tips, err := records.NewReader(s.Repo).Tips(ctx, nil)
	if err != nil || len(tips) == 0 {
		return 0, err
	}
	there, err := n.List(ctx, to.URL, metadata.CheckpointRefs)
	if err != nil {
		return 0, err
	}
	var ask []string
	for _, ref := range there {
		cp, ok := metadata.ParseCheckpointRef(ref.Name)
		if tip, here := tips[cp]; ok && here && tip != ref.OID {
			ask = append(ask, ref.Name)
		}
	}
	if err := n.FetchRefs(ctx, to.URL, ask); err != nil {
		return 0, err
	}
	now, err := records.NewReader(s.Repo).Tips(ctx, nil)
	for cp, tip := range now {
		if tip != tips[cp] {
			received++
		}
	}
	return received, err
}

// FetchMissing fetches checkpoints with ULIDs that are not here from the agreed destinations that are
// remotes, the preferred remote first, in one connection to each. It returns those that it has found.
// say is called before the first connection to a remote.
func FetchMissing(ctx context.Context, s *sessionstate.Env, n *git.Network, ids []id.CheckpointID, say func(remote string, count int)) ([]id.CheckpointID, error) {
	unknown, err := sealing.Unknown(ctx, s.Repo)
	if err != nil {
		return nil, err
	}
	missing, err := fetchable(ctx, s, ids, len(unknown) > 0)
	if err != nil || len(missing) == 0 {
		return nil, err
	}
	d, err := maintain.ReadDestinations(s)
	if err != nil || len(d.Agreed) == 0 {
		return nil, err
	}
	remotes, err := resume.PreferredRemotes(ctx, s)
	if err != nil {
		return nil, err
	}
	var found []id.CheckpointID
	var errs []error
	for _, remote := range remotes {
		url, err := s.Repo.FetchURL(ctx, remote)
		if err != nil || find(&d, s.Repo.PlainURL(url)) == nil {
			continue
		}
		say(remote, len(missing))
		if len(unknown) > 0 {
			if _, err = receiveEpochs(ctx, s, n, resume.Destination{Remote: remote, URL: url, Shown: s.Repo.PlainURL(url)}); err != nil {
				errs = append(errs, fmt.Errorf("fetch manifests from %s: %w", remote, err))
				continue
			}
		}
		err = n.FetchRefs(ctx, url, refsOf(missing))
		if err == nil {
			_, err = fetchSealed(ctx, s, n, url, missing)
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("fetch checkpoints from %s: %w", remote, err))
			continue
		}
		left, err := fetchable(ctx, s, missing, true)
		if err != nil {
			return found, err
		}
		found = append(found, slices.DeleteFunc(slices.Clone(missing), func(cp id.CheckpointID) bool { return slices.Contains(left, cp) })...)
		if missing = left; len(missing) == 0 {
			break
		}
	}
	return found, errors.Join(errs...)
}

func refsOf(ids []id.CheckpointID) (refs []string) {
	for _, cp := range ids {
		if !cp.IsULID() {
			continue // one with a hex ID is in an epoch
		}
		refs = append(refs, metadata.CheckpointRef(cp))
	}
	return refs
}

// fetchable returns those of ids that are neither here nor forgotten, and that a remote can be asked for: with ULIDs,
// which may have a ref of their own, and those that a manifest lists. any is set if manifests are missing that may list
// the others.
func fetchable(ctx context.Context, s *sessionstate.Env, ids []id.CheckpointID, any bool) ([]id.CheckpointID, error) {
	if !any && !step.MayHaveRefs(s, epoch.Refs) {
		ids = slices.DeleteFunc(slices.Clone(ids), func(cp id.CheckpointID) bool { return !cp.IsULID() })
	}
	if len(ids) == 0 {
		return nil, nil
	}
	reader := records.NewReader(s.Repo)
	here, err := reader.Exists(ctx, ids)
	if err != nil {
		return nil, err
	}
	stones, err := reader.Forgotten(ctx, ids)
	if err != nil {
		return nil, err
	}
	rows, absent, err := reader.Sealed(ctx, ids)
	return slices.DeleteFunc(slices.Clone(ids), func(cp id.CheckpointID) bool {
		_, gone := stones[cp]
		_, listed := rows[cp]
		_, elsewhere := absent[cp]
		return here[cp] || gone || !any && !cp.IsULID() && !listed && !elsewhere
	}), err
}
