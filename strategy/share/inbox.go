package share

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"maps"
	"slices"

	"entire/checkpoint/merge"
	"entire/internal/git"
	"entire/strategy/maintain"
	"entire/strategy/resume"
	"entire/strategy/sessionstate"
	"entire/strategy/step"
)

// inboxRefs is the folder of the refs at a destination that hold what a push could not merge into the branch, because
// others were faster. The next push that meets them merges and deletes them.
const inboxRefs = step.OwnRefRoot + "inbox/"

// inboxAtOnce bounds how many of them a push in a hook merges, which has little time.
const inboxAtOnce = 8

// leave pushes the branch into a ref of its own at the destination. Nobody else moves that ref, so the push cannot come
// too late.
func leave(ctx context.Context, s *sessionstate.Env, n *git.Network, to resume.Destination, tip git.OID) (ref string, err error) {
	var name [16]byte
	if _, err := rand.Read(name[:]); err != nil {
		return "", fmt.Errorf("name a ref: %w", err)
	}
	ref = fmt.Sprintf("%s%x", inboxRefs, name)
	s.Log.Info("others keep sending, too: what is new goes into a ref of its own", "ref", ref)
	for try := 0; ; try++ {
		if err = n.Push(ctx, to.URL, tip, ref); !errors.Is(err, git.ErrRejected) || try >= leaveTries {
			return ref, err
		}
	}
}

// leaveTries bounds how often that push is repeated if the destination gives no reason for refusing it.
const leaveTries = 5

// recordLeft notes what was left, so that this clone's next push merges it if nobody has.
func recordLeft(ctx context.Context, s *sessionstate.Env, to resume.Destination, done *Pushed, tip git.OID) error {
	if before, err := knownTip(ctx, s, to); err == nil {
		if count, err := merge.CountNew(ctx, s.Repo, before, tip); err == nil {
			done.Checkpoints += count
		}
	}
	return updateDestinations(ctx, s, func(d *maintain.Destinations) {
		if a := find(d, to.Shown); a != nil {
			a.Sent, a.Inbox = tip, done.Inbox
		}
	})
}

// fold fetches at most limit of the inbox refs among there, all if limit is 0, and merges them into the local branch. It
// returns those that the destination does not need any more once it has the branch.
func fold(ctx context.Context, s *sessionstate.Env, n *git.Network, to resume.Destination, there map[string]git.OID, limit int) ([]git.Ref, error) {
	into := map[string]string{}
	for _, ref := range slices.Sorted(maps.Keys(there)) {
		if isInbox(ref) && (limit == 0 || len(into) < limit) {
			into[ref] = resume.FetchedRef(s, ref)
		}
	}
	if len(into) == 0 {
		return nil, nil
	}
	if err := n.FetchInto(ctx, to.URL, into); err != nil {
		there, lerr := n.ListBelow(ctx, to.URL, inboxRefs) // another push may have merged and deleted some of them
		if lerr != nil || len(there) == len(into) {
			return nil, fmt.Errorf("fetch what others have left: %w", err)
		}
		return nil, nil
	}
	var done []git.Ref
	for ref, local := range into {
		oid, found, err := s.Repo.Ref(ctx, local)
		if err != nil || !found {
			return done, err
		}
		if _, err := resume.MergeFetched(ctx, s, oid); err != nil {
			return done, fmt.Errorf("merge what others have left: %w", err)
		}
		done = append(done, git.Ref{Name: ref, OID: oid})
		if err := s.Repo.UpdateRefs(ctx, []git.RefUpdate{{Name: local, Old: oid}}); err != nil {
			s.Log.Debug("fetched ref stays", "ref", local, "err", err)
		}
	}
	return done, nil
}

// isInbox reports whether a ref is one that a push has left.
func isInbox(ref string) bool {
	dir, _ := step.SplitOwnRef(ref)
	return dir == "inbox" && step.IsStored(ref)
}

// deleteFolded deletes refs at the destination whose content its branch has now. Another push may have done so.
func deleteFolded(ctx context.Context, s *sessionstate.Env, n *git.Network, to resume.Destination, folded []git.Ref) {
	if err := n.DeleteMany(ctx, to.URL, folded); err != nil {
		s.Log.Debug("some refs of an inbox stay", "err", err) // the next push merges them again, which changes nothing
	}
}

// catchUp gets what others have sent after a push came too late: epochs first, then the branch, then some of what was
// left. over is as in [resume.FetchAndMerge].
func catchUp(ctx context.Context, s *sessionstate.Env, n *git.Network, to resume.Destination) (over git.OID, folded []git.Ref, err error) {
	there, err := listStored(ctx, n, to)
	if err == nil {
		err = takeEpochs(ctx, s, n, to, there)
	}
	if err != nil {
		return over, nil, fmt.Errorf("receive epochs: %w", err)
	}
	if over, err = resume.FetchAndMerge(ctx, s, n, to); err != nil {
		return over, nil, err
	}
	folded, err = fold(ctx, s, n, to, there, inboxAtOnce)
	return over, folded, err
}

// sendMerged is send for a hook: if this clone's last push had to leave something, it is merged first.
func sendMerged(ctx context.Context, s *sessionstate.Env, n *git.Network, to resume.Destination, left string) (Pushed, error) {
	if left == "" {
		return send(ctx, s, n, to, nil)
	}
	_, folded, err := catchUp(ctx, s, n, to)
	if err != nil {
		return Pushed{URL: to.Shown, Remote: to.Remote}, err
	}
	return send(ctx, s, n, to, folded)
}
