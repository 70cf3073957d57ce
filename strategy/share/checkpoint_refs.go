package share

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"

	"entire/checkpoint/epoch"
	"entire/checkpoint/merge"
	"entire/checkpoint/metadata"
	"entire/checkpoint/records"
	"entire/checkpoint/sealing"
	"entire/id"
	"entire/internal/git"
	"entire/strategy/maintain"
	"entire/strategy/resume"
	"entire/strategy/sessionstate"
	"entire/strategy/step"
	"entire/strategy/worktree"
)

// errRefused is returned for checkpoints that the destination did not take.
var errRefused = errors.New("the destination refused them")

// refsTries is how often refs are pushed that others move meanwhile.
const refsTries = 4

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
	if err := pushRefs(ctx, s, n, to, done); err != nil {
		return err
	}
	if state, err = refsState(ctx, s); err != nil {
		return err
	}
	return recordRefs(ctx, s, to, state)
}

// pushRefs pushes the refs. What another clone has added to a checkpoint is merged, and the checkpoint sent again.
func pushRefs(ctx context.Context, s *sessionstate.Env, n *git.Network, to resume.Destination, done *Pushed) error {
	for try := 1; ; try++ {
		pushed, err := n.PushFolder(ctx, to.URL, metadata.CheckpointRefs)
		done.Refs += len(pushed.New) + len(pushed.Moved)
		if err != nil || len(pushed.Refused) == 0 {
			return err
		}
		names := slices.Sorted(maps.Keys(pushed.Refused))
		moved, err := mergeRefs(ctx, s, n, to, names)
		if err != nil {
			return err
		}
		if len(moved) == 0 || try == refsTries {
			return fmt.Errorf("%s not sent, such as %s: %w: %s", worktree.Counted(len(names), "checkpoint"), path.Base(names[0]), errRefused, pushed.Refused[names[0]])
		}
	}
}

// mergeRefs fetches refs of checkpoints and merges them into those here. It returns the checkpoints whose refs moved.
func mergeRefs(ctx context.Context, s *sessionstate.Env, n *git.Network, to resume.Destination, names []string) ([]id.CheckpointID, error) {
	stones, err := records.NewReader(s.Repo).Forgotten(ctx, nil)
	if err != nil {
		return nil, err
	}
	into := map[string]string{}
	for _, name := range names {
		if cp, ok := metadata.ParseCheckpointRef(name); ok {
			if _, gone := stones[cp]; !gone {
				into[name] = resume.FetchedRef(s, name)
			}
		}
	}
	if err := n.FetchInto(ctx, to.URL, into); err != nil {
		return nil, fmt.Errorf("fetch what others have changed: %w", err)
	}
	theirs := map[id.CheckpointID]git.OID{}
	for name, local := range into {
		oid, found, err := s.Repo.Ref(ctx, local)
		if err != nil {
			return nil, err
		}
		if cp, ok := metadata.ParseCheckpointRef(name); ok && found {
			theirs[cp] = oid
		}
	}
	moved, err := merge.Refs(ctx, s.Repo, theirs)
	if err != nil {
		return nil, err
	}
	for name, local := range into {
		cp, _ := metadata.ParseCheckpointRef(name)
		if err := s.Repo.UpdateRefs(ctx, []git.RefUpdate{{Name: local, Old: theirs[cp]}}); err != nil {
			s.Log.Debug("fetched ref stays", "ref", local, "err", err)
		}
	}
	return moved, nil
}

func recordRefs(ctx context.Context, s *sessionstate.Env, to resume.Destination, state string) error {
	return updateDestinations(ctx, s, func(d *maintain.Destinations) {
		if a := find(d, to.Shown); a != nil {
			a.SentRefs = state
		}
	})
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

// receiveRefs fetches what others have added to checkpoints that are in refs here, and merges it where both have added
// something.
func receiveRefs(ctx context.Context, s *sessionstate.Env, n *git.Network, to resume.Destination) (received int, err error) {
	reader := records.NewReader(s.Repo)
	tips, err := reader.Tips(ctx, nil)
	if err != nil || len(tips) == 0 {
		return 0, err
	}
	there, err := n.List(ctx, to.URL, metadata.CheckpointRefs)
	if err != nil {
		return 0, err
	}
	news, err := unseen(ctx, s, there, tips)
	if err != nil || len(news) == 0 {
		return 0, err
	}
	if err := n.FetchRefs(ctx, to.URL, slices.Sorted(maps.Keys(news))); err != nil {
		return 0, err
	}
	now, err := reader.Tips(ctx, nil)
	if err != nil {
		return 0, err
	}
	var both []string
	for ref, oid := range news {
		cp, _ := metadata.ParseCheckpointRef(ref)
		if now[cp] == oid {
			received++
		} else {
			both = append(both, ref)
		}
	}
	moved, err := mergeRefs(ctx, s, n, to, both)
	return received + len(moved), err
}

// unseen returns those of the refs at a destination that are here, too, and name a commit there that is not here.
func unseen(ctx context.Context, s *sessionstate.Env, there []git.Ref, tips map[id.CheckpointID]git.OID) (map[string]git.OID, error) {
	var refs []git.Ref
	var specs []string
	for _, ref := range there {
		cp, ok := metadata.ParseCheckpointRef(ref.Name)
		if tip, here := tips[cp]; ok && here && tip != ref.OID {
			refs, specs = append(refs, ref), append(specs, ref.OID.String())
		}
	}
	objs, err := s.Repo.Reader(ctx).Small(0, specs...)
	news := map[string]git.OID{}
	for i, o := range objs {
		if o.Type == "" {
			news[refs[i].Name] = refs[i].OID
		}
	}
	return news, err
}

// FetchMissing fetches checkpoints that may have refs of their own and are not here from the agreed destinations that are
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
			if err = receiveEpochs(ctx, s, n, resume.Destination{Remote: remote, URL: url, Shown: s.Repo.PlainURL(url)}); err != nil {
				errs = append(errs, fmt.Errorf("fetch manifests from %s: %w", remote, err))
				continue
			}
		}
		err = n.FetchRefs(ctx, url, refsOf(s, missing))
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

// refsOf returns the refs that the checkpoints may have.
func refsOf(s *sessionstate.Env, ids []id.CheckpointID) (refs []string) {
	for _, cp := range ids {
		if mayBeInRef(s, cp) {
			refs = append(refs, metadata.CheckpointRef(cp))
		}
	}
	return refs
}

// mayBeInRef reports whether a checkpoint may have a ref of its own: one with a ULID, and with a hex ID where the
// project keeps new checkpoints so, or some are here.
func mayBeInRef(s *sessionstate.Env, cp id.CheckpointID) bool {
	return cp.IsULID() || s.CheckpointRefs || step.MayHaveRefs(s, metadata.CheckpointRefs)
}

// fetchable returns those of ids that are neither here nor forgotten, and that a remote can be asked for: those that may
// have a ref of their own, and those that a manifest lists. any is set if manifests are missing that may list
// the others.
func fetchable(ctx context.Context, s *sessionstate.Env, ids []id.CheckpointID, any bool) ([]id.CheckpointID, error) {
	if !any && !step.MayHaveRefs(s, epoch.Refs) {
		ids = slices.DeleteFunc(slices.Clone(ids), func(cp id.CheckpointID) bool { return !mayBeInRef(s, cp) })
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
		return here[cp] || gone || !any && !mayBeInRef(s, cp) && !listed && !elsewhere
	}), err
}
