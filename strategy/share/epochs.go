package share

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"path"
	"slices"

	"entire/checkpoint/epoch"
	"entire/checkpoint/merge"
	"entire/checkpoint/metadata"
	"entire/checkpoint/records"
	"entire/checkpoint/sealing"
	"entire/checkpoint/shadow"
	"entire/id"
	"entire/internal/git"
	"entire/strategy/maintain"
	"entire/strategy/resume"
	"entire/strategy/sessionstate"
	"entire/strategy/step"
)

// epochTries bounds how often epochs are joined with a destination's, while others send, too.
const epochTries = 20

// epochsState returns a hash of this clone's epochs and of what is forgotten; "" if there is neither.
func epochsState(ctx context.Context, s *sessionstate.Env) (string, error) {
	var refs []git.Ref
	var err error
	if step.MayHaveRefs(s, epoch.Refs) {
		if refs, err = s.Repo.Refs(ctx, epoch.Refs, epoch.BodyRefs); err != nil {
			return "", err
		}
	}
	forgotten, err := metadata.ForgottenState(ctx, s.Repo)
	if err != nil || len(refs) == 0 && forgotten == "" {
		return "", err
	}
	sum := sha256.New()
	for _, ref := range refs {
		fmt.Fprintf(sum, "%s %s\n", ref.OID, ref.Name)
	}
	fmt.Fprint(sum, forgotten)
	return fmt.Sprintf("%x", sum.Sum(nil)[:16]), nil
}

// sendEpochs joins this clone's epochs with the destination's, and sends what it does not have, unless that was done.
func sendEpochs(ctx context.Context, s *sessionstate.Env, n *git.Network, to resume.Destination) error {
	state, err := epochsState(ctx, s)
	if err != nil || state == "" {
		return err
	}
	d, err := maintain.ReadDestinations(s)
	if err != nil {
		return err
	}
	if a := find(&d, to.Shown); a != nil && a.SentEpochs == state {
		return nil
	}
	for try := 0; ; try++ {
		there, err := n.ListBelow(ctx, to.URL, epoch.Refs, epoch.BodyRefs)
		if err == nil {
			err = takeEpochs(ctx, s, n, to, there)
		}
		if err != nil {
			return fmt.Errorf("receive epochs: %w", err)
		}
		moves, err := epochMoves(ctx, s, there)
		if err == nil && len(moves) > 0 {
			err = n.PushTogether(ctx, to.URL, moves)
		}
		if errors.Is(err, git.ErrRejected) && try < epochTries {
			if err := git.PauseTry(ctx, try); err != nil {
				return err
			}
			continue
		}
		if err != nil {
			return fmt.Errorf("send epochs: %w", err)
		}
		break
	}
	if state, err = epochsState(ctx, s); err != nil {
		return err
	}
	return updateDestinations(ctx, s, func(d *maintain.Destinations) {
		if a := find(d, to.Shown); a != nil {
			a.SentEpochs = state
		}
	})
}

// epochMoves returns how the destination's refs become those of the epochs whose content is here.
func epochMoves(ctx context.Context, s *sessionstate.Env, there map[string]git.OID) (moves []git.RefUpdate, err error) {
	refs, err := s.Repo.Refs(ctx, epoch.BodyRefs)
	for _, body := range refs {
		month, ok := epoch.MonthOfRef(body.Name)
		if !ok {
			continue
		}
		manifest, found, err := s.Repo.Ref(ctx, month.Ref())
		if err != nil {
			return nil, err
		}
		if !found || there[month.Ref()] == manifest && there[month.BodyRef()] == body.OID {
			continue
		}
		moves = append(moves, git.RefUpdate{Name: month.BodyRef(), New: body.OID, Old: there[month.BodyRef()]},
			git.RefUpdate{Name: month.Ref(), New: manifest, Old: there[month.Ref()]})
	}
	if err == nil {
		var emptied []git.RefUpdate
		emptied, err = emptiedMonths(ctx, s, there)
		moves = append(moves, emptied...)
	}
	return slices.DeleteFunc(moves, func(m git.RefUpdate) bool { return m.New == m.Old }), err
}

// emptiedMonths returns how a destination's refs of months go that are not here and whose checkpoints are all forgotten. A
// month stays if its manifest is not in this clone, or lists any other checkpoint.
func emptiedMonths(ctx context.Context, s *sessionstate.Env, there map[string]git.OID) (moves []git.RefUpdate, err error) {
	var stones map[id.CheckpointID]metadata.Tombstone
	for ref, oid := range there {
		month, ok := epoch.MonthOfRef(ref)
		if !ok || month.Ref() != ref {
			continue
		}
		if _, here, err := s.Repo.Ref(ctx, ref); err != nil {
			return nil, err
		} else if here {
			continue
		}
		rd := s.Repo.Reader(ctx)
		m, err := epoch.Open(rd, month, oid)
		var ids []id.CheckpointID
		var meta epoch.Meta
		if err == nil {
			ids, err = epoch.Set{m}.IDs(rd, "")
		}
		if err == nil {
			meta, err = m.Meta(rd)
		}
		if errors.Is(err, git.ErrMissing) {
			continue
		}
		if err == nil && stones == nil {
			stones, err = records.NewReader(s.Repo).Forgotten(ctx, nil)
		}
		if err != nil {
			return nil, err
		}
		if len(ids) != meta.Count || slices.ContainsFunc(ids, func(cp id.CheckpointID) bool { _, gone := stones[cp]; return !gone }) {
			continue
		}
		moves = append(moves, git.RefUpdate{Name: ref, Old: oid})
		if body := there[month.BodyRef()]; !body.IsZero() {
			moves = append(moves, git.RefUpdate{Name: month.BodyRef(), Old: body})
		}
	}
	return moves, nil
}

// receiveEpochs gets the manifests of a destination that are not here, and the content of the months whose
// checkpoints this clone has.
func receiveEpochs(ctx context.Context, s *sessionstate.Env, n *git.Network, to resume.Destination) error {
	there, err := n.ListBelow(ctx, to.URL, epoch.Refs, epoch.BodyRefs)
	if err == nil && len(there) > 0 {
		err = takeEpochs(ctx, s, n, to, there)
	}
	if err != nil {
		return fmt.Errorf("receive epochs: %w", err)
	}
	return nil
}

// listStored lists the branch of a destination, what it has in refs of months, and what pushes have left there.
func listStored(ctx context.Context, n *git.Network, to resume.Destination) (map[string]git.OID, error) {
	return n.ListBelow(ctx, to.URL, path.Dir(shadow.MetadataRef)+"/", epoch.Refs, epoch.BodyRefs, inboxRefs)
}

func countSealed(ctx context.Context, s *sessionstate.Env) (n int, err error) {
	set, err := epoch.Load(ctx, s.Repo)
	for _, m := range set {
		meta, err := m.Meta(s.Repo.Reader(ctx))
		if err != nil {
			return 0, err
		}
		n += meta.Count
	}
	return n, err
}

// takeEpochs fetches the epochs that differ from those here and joins them. there are the destination's refs.
func takeEpochs(ctx context.Context, s *sessionstate.Env, n *git.Network, to resume.Destination, there map[string]git.OID) error {
	var months, whole []epoch.Month
	unsealed, err := sealing.Unsealed(ctx, s.Repo)
	if err != nil {
		return err
	}
	for ref, oid := range there {
		month, ok := epoch.ParseMonth(ref[min(len(epoch.Refs), len(ref)):])
		if !ok || month.Ref() != ref {
			continue
		}
		here, found, err := s.Repo.Ref(ctx, ref)
		if err != nil {
			return err
		}
		if found && here == oid || slices.Contains(unsealed[month], oid) {
			continue
		}
		_, bodies, err := s.Repo.Ref(ctx, month.BodyRef())
		if err != nil {
			return err
		}
		if bodies {
			whole = append(whole, month)
		} else {
			months = append(months, month)
		}
	}
	if err := fetchEpochs(ctx, s, n, to, months, false); err != nil {
		return err
	}
	more, err := wholeMonths(ctx, s)
	more = slices.DeleteFunc(more, func(m epoch.Month) bool { return there[m.Ref()].IsZero() || there[m.BodyRef()].IsZero() })
	if err == nil {
		err = fetchEpochs(ctx, s, n, to, append(whole, more...), true)
	}
	if err != nil || len(months)+len(whole) == 0 && len(more) == 0 {
		return err
	}
	if err := epoch.WriteIndex(ctx, s.Repo); err != nil {
		return err
	}
	if _, err := sealing.Drop(ctx, s.Repo); err != nil {
		return err
	}
	if err := maintain.DropForgotten(ctx, s); err != nil {
		return err
	}
	return epoch.WriteIndex(ctx, s.Repo)
}

// wholeMonths returns the months whose content this clone needs: the branch has checkpoints that their manifests list, or
// some of them are forgotten.
func wholeMonths(ctx context.Context, s *sessionstate.Env) (months []epoch.Month, err error) {
	set, err := epoch.Load(ctx, s.Repo)
	if err != nil || len(set) == 0 {
		return nil, err
	}
	c, ok, err := s.Repo.Reader(ctx).CommitOf(shadow.MetadataRef)
	if err != nil {
		return nil, err
	}
	var ids []id.CheckpointID
	reader := records.NewReader(s.Repo)
	if ok {
		if ids, err = reader.IDsBelow(ctx, c.Tree); err != nil {
			return nil, err
		}
	}
	stones, err := reader.Forgotten(ctx, nil)
	if err != nil {
		return nil, err
	}
	for cp := range stones {
		ids = append(ids, cp)
	}
	for _, cp := range ids {
		month, listed, err := set.MonthOf(s.Repo.Reader(ctx), cp)
		if err != nil {
			return nil, err
		}
		if !listed || slices.Contains(months, month) {
			continue
		}
		if _, here, err := s.Repo.Ref(ctx, month.BodyRef()); err != nil {
			return nil, err
		} else if !here {
			months = append(months, month)
		}
	}
	return months, nil
}

// fetchEpochs fetches months and joins them with those here; with their checkpoints if whole is set.
func fetchEpochs(ctx context.Context, s *sessionstate.Env, n *git.Network, to resume.Destination, months []epoch.Month, whole bool) error {
	into := map[string]string{}
	for _, m := range months {
		into[m.Ref()] = resume.FetchedRef(s, m.Ref())
		if whole {
			into[m.BodyRef()] = resume.FetchedRef(s, m.BodyRef())
		}
	}
	if err := n.FetchInto(ctx, to.URL, into); err != nil {
		return err
	}
	var errs []error
	for _, m := range months {
		manifest, _, err := s.Repo.Ref(ctx, into[m.Ref()])
		var bodies git.OID
		if err == nil && whole {
			bodies, _, err = s.Repo.Ref(ctx, into[m.BodyRef()])
		}
		if err == nil {
			err = sealing.Absorb(ctx, s.Repo, m, manifest, bodies)
		}
		errs = append(errs, err)
	}
	for _, ref := range into {
		oid, found, err := s.Repo.Ref(ctx, ref)
		if err == nil && found {
			err = s.Repo.UpdateRefs(ctx, []git.RefUpdate{{Name: ref, Old: oid}})
		}
		if err != nil {
			s.Log.Debug("fetched ref stays", "ref", ref, "err", err)
		}
	}
	return errors.Join(errs...)
}

// epochsBeforeMerge gets the epochs first if the user's own fetch has brought a branch that does not continue the local
// one: a branch whose past was sealed does not, and what left it must not come back.
func epochsBeforeMerge(ctx context.Context, s *sessionstate.Env, n *git.Network, to resume.Destination) error {
	ref := resume.TrackingRef(to.Remote)
	if ref == "" {
		return nil
	}
	theirs, ok, err := s.Repo.Ref(ctx, ref)
	if err != nil || !ok {
		return err
	}
	ours, ok, err := s.Repo.Ref(ctx, shadow.MetadataRef)
	if err != nil || !ok || ours == theirs {
		return err
	}
	if on, err := merge.Descends(s.Repo.Reader(ctx), ours, theirs); err == nil && on {
		return nil
	}
	_, err = s.Repo.Run(ctx, "merge-base", "--is-ancestor", theirs.String(), ours.String())
	var exit *git.ExitError
	if err == nil || !errors.As(err, &exit) || exit.Code != 1 {
		return nil // it continues; or git cannot say, and the merge will
	}
	return receiveEpochs(ctx, s, n, to)
}

// dropUnsealed removes months that were unsealed: here, and at a destination whose branch has their checkpoints now.
func dropUnsealed(ctx context.Context, s *sessionstate.Env, n *git.Network, to resume.Destination) error {
	if _, err := sealing.DropUnsealed(ctx, s.Repo); err != nil {
		return err
	}
	unsealed, err := sealing.Unsealed(ctx, s.Repo)
	if err != nil || len(unsealed) == 0 {
		return err
	}
	d, err := maintain.ReadDestinations(s)
	if err != nil {
		return err
	}
	state := fmt.Sprint(unsealed)
	if a := find(&d, to.Shown); a != nil && a.Unsealed == state {
		return nil
	}
	there, err := n.ListBelow(ctx, to.URL, epoch.Refs, epoch.BodyRefs)
	if err != nil {
		return err
	}
	for month, gone := range unsealed {
		_, here, err := s.Repo.Ref(ctx, month.Ref())
		if err != nil {
			return err
		}
		if here || !slices.Contains(gone, there[month.Ref()]) {
			continue // sealed again, or the branch lacks something of it
		}
		moves := []git.RefUpdate{{Name: month.Ref(), Old: there[month.Ref()]}}
		if body := there[month.BodyRef()]; !body.IsZero() {
			moves = append(moves, git.RefUpdate{Name: month.BodyRef(), Old: body})
		}
		if err := n.PushTogether(ctx, to.URL, moves); err != nil && !errors.Is(err, git.ErrRejected) {
			return fmt.Errorf("remove the unsealed month %s: %w", month, err)
		}
	}
	return updateDestinations(ctx, s, func(d *maintain.Destinations) {
		if a := find(d, to.Shown); a != nil {
			a.Unsealed = state
		}
	})
}
