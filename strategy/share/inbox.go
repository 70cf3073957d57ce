package share

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"entire/checkpoint/merge"
	"entire/checkpoint/shadow"
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

const (
	// lossesBeforeInbox is how often a push is tried that others keep overtaking. Then what is sent stays in a ref of its
	// own at the destination, which no other push moves, and a later push merges it.
	lossesBeforeInbox = 2

	// A first loss is enough if the try took longer than leastPatience, and than usual times slower: then many push at
	// the same time, and to merge and try again is more work than all of them can do.
	leastPatience = 700 * time.Millisecond
	slower        = 3

	// firstPatience is the patience of a clone that does not know yet what is usual.
	firstPatience = 250 * time.Millisecond

	// crowdedFor is how long others are taken to be pushing still after this clone had to leave something.
	crowdedFor = time.Minute
)

// patience returns how long a try may take at a destination before its loss is enough.
func patience(a *maintain.Destination, now time.Time) time.Duration {
	switch {
	case crowded(a, now):
		return 0
	case a == nil || a.Took == 0:
		return firstPatience
	}
	return max(leastPatience, slower*time.Duration(a.Took)*time.Millisecond)
}

// crowded reports whether this clone had to leave something at a destination a short time ago.
func crowded(a *maintain.Destination, now time.Time) bool {
	return a != nil && a.Inbox != "" && now.Sub(a.Left) < crowdedFor
}

// A delivery is one push of the branch to a destination that others may push to at the same time.
type delivery struct {
	to     resume.Destination
	inbox  string    // the ref of its own that takes what the branch does not
	fresh  bool      // whether no earlier push has used that ref
	beside bool      // whether the next try pushes to that ref, too
	left   git.Ref   // that ref, as a push of this clone has set it; zero if none has
	folded []git.Ref // refs of others whose content the branch has once it is sent
}

// newDelivery returns the delivery to a destination. As long as no push of this clone has come through there, and while it
// is crowded, already the first try leaves what it has beside the branch.
func newDelivery(to resume.Destination, a *maintain.Destination, now time.Time, folded []git.Ref) (*delivery, error) {
	d := &delivery{to: to, folded: folded, beside: a == nil || a.Sent.IsZero() || crowded(a, now)}
	if a != nil && a.Inbox != "" {
		d.inbox, d.left = a.Inbox, git.Ref{Name: a.Inbox, OID: a.Sent} // it moves forward: a clone leaves one ref
		return d, nil
	}
	name, err := newInbox()
	d.inbox, d.fresh = name, true
	return d, err
}

// newInbox returns the name of a ref that nobody else pushes to.
func newInbox() (string, error) {
	var name [16]byte
	if _, err := rand.Read(name[:]); err != nil {
		return "", fmt.Errorf("name a ref: %w", err)
	}
	return fmt.Sprintf("%s%x", inboxRefs, name), nil
}

// sendBranch pushes the local branch, and sets done.Tip if the destination's branch has it now. If others keep moving that
// branch, what is sent is left in a ref of its own, which sets done.Inbox.
func sendBranch(ctx context.Context, s *sessionstate.Env, n *git.Network, to resume.Destination, done *Pushed, over git.OID, folded []git.Ref) error {
	list, err := maintain.ReadDestinations(s)
	if err != nil {
		return err
	}
	a := find(&list, to.Shown)
	began := s.Now()
	limit := patience(a, began)
	d, err := newDelivery(to, a, began, folded)
	if err != nil {
		return err
	}
	for losses := 0; ; {
		tip, err := metadataTip(ctx, s)
		if err != nil || tip.IsZero() {
			return err
		}
		err = d.try(ctx, n, tip, over)
		if err == nil {
			done.Tip = tip
			if losses == 0 {
				done.took = s.Now().Sub(began)
			}
			deleteFolded(ctx, s, n, to, d.served())
			return nil
		}
		if !errors.Is(err, git.ErrRejected) {
			return err
		}
		if losses++; losses >= lossesBeforeInbox || s.Now().Sub(began) >= limit {
			return d.leave(ctx, s, n, tip, done)
		}
		over, err = d.catchUp(ctx, s, n)
		if err != nil && d.left.OID == tip {
			s.Log.Warn("what others have sent is not merged", "err", err)
			return d.leave(context.WithoutCancel(ctx), s, n, tip, done) // which only notes it
		}
		if err != nil {
			return err
		}
	}
}

// catchUp is [catchUp] after a push that came too late. The next try leaves what it has beside the branch.
func (d *delivery) catchUp(ctx context.Context, s *sessionstate.Env, n *git.Network) (over git.OID, err error) {
	limit := inboxAtOnce
	if d.beside {
		limit = 0 // or all who push now would merge the same
	}
	over, more, err := catchUp(ctx, s, n, d.to, limit)
	d.folded, d.beside = append(d.folded, more...), true
	return over, err
}

// try pushes tip to the branch, in place of over unless that is zero, and to the ref beside it if others may be pushing.
func (d *delivery) try(ctx context.Context, n *git.Network, tip, over git.OID) error {
	if !d.beside || !over.IsZero() {
		return n.PushOver(ctx, d.to.URL, tip, shadow.MetadataRef, over)
	}
	left, err := n.PushBeside(ctx, d.to.URL, tip, shadow.MetadataRef, d.inbox)
	if left {
		d.left = git.Ref{Name: d.inbox, OID: tip}
	}
	var failed *git.ExitError // of the connection, as opposed to a ref that is refused
	switch {
	case err == nil || errors.Is(err, git.ErrRejected) || errors.As(err, &failed):
	case !left: // the server may have refused the branch because of the other ref
		return n.Push(ctx, d.to.URL, tip, shadow.MetadataRef)
	case d.fresh: // the server does not want in the branch what is now beside it
		return errors.Join(err, n.DeleteMany(ctx, d.to.URL, []git.Ref{d.left}))
	}
	return err
}

// served returns the refs at the destination that nobody needs once its branch is the one here.
func (d *delivery) served() []git.Ref {
	if d.left.OID.IsZero() {
		return d.folded
	}
	return append(slices.DeleteFunc(d.folded, func(r git.Ref) bool { return r.Name == d.left.Name }), d.left)
}

// leave makes sure that the ref beside the branch has tip. Nobody else moves that ref, so a push to it cannot come too late.
func (d *delivery) leave(ctx context.Context, s *sessionstate.Env, n *git.Network, tip git.OID, done *Pushed) error {
	s.Log.Info("others keep sending, too: what is new is in a ref of its own", "ref", d.inbox)
	for try := 0; d.left.OID != tip; try++ {
		err := n.Push(ctx, d.to.URL, tip, d.inbox)
		if err == nil {
			break
		}
		if !errors.Is(err, git.ErrRejected) || try >= leaveTries {
			return err
		}
		if d.inbox, err = newInbox(); err != nil { // the branch was rewritten since, or somebody has just merged that ref
			return err
		}
	}
	done.Inbox = d.inbox
	return recordLeft(ctx, s, d.to, done, tip)
}

// leaveTries bounds how often that push is repeated.
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
			a.Sent, a.Inbox, a.Left = tip, done.Inbox, s.Now().UTC()
		}
	})
}

// fold fetches at most limit of the inbox refs among there and merges them into the local branch. It
// returns those that the destination does not need any more once it has the branch.
func fold(ctx context.Context, s *sessionstate.Env, n *git.Network, to resume.Destination, there map[string]git.OID, limit int) ([]git.Ref, error) {
	into := map[string]string{}
	for _, ref := range slices.Sorted(maps.Keys(there)) {
		if isInbox(ref) && len(into) < limit {
			into[ref] = resume.FetchedRef(s, ref)
		}
	}
	if len(into) == 0 {
		return nil, nil
	}
	if err := n.FetchInto(ctx, to.URL, into); err != nil {
		now, lerr := n.ListBelow(ctx, to.URL, inboxRefs)
		for ref := range into {
			if lerr == nil && now[ref].IsZero() {
				return nil, nil // another push has merged and deleted it
			}
		}
		return nil, fmt.Errorf("fetch what others have left: %w", err)
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

// catchUp gets what others have sent after a push came too late: epochs first, then the branch, then at most limit of what
// was left. over is as in [resume.FetchAndMerge].
func catchUp(ctx context.Context, s *sessionstate.Env, n *git.Network, to resume.Destination, limit int) (over git.OID, folded []git.Ref, err error) {
	there, err := listStored(ctx, n, to)
	if err == nil {
		err = takeEpochs(ctx, s, n, to, there)
	}
	if err != nil {
		return over, nil, fmt.Errorf("receive epochs: %w", err)
	}
	if !there[shadow.MetadataRef].IsZero() {
		if over, err = resume.FetchAndMerge(ctx, s, n, to); err != nil {
			return over, nil, err
		}
	}
	folded, err = fold(ctx, s, n, to, there, limit)
	return over, folded, err
}

// sendMerged is send for a hook: what this clone had to leave is merged first, unless others may still be pushing.
func sendMerged(ctx context.Context, s *sessionstate.Env, n *git.Network, to resume.Destination, a maintain.Destination) (Pushed, error) {
	if a.Inbox == "" || crowded(&a, s.Now()) {
		return send(ctx, s, n, to, nil)
	}
	_, folded, err := catchUp(ctx, s, n, to, inboxAtOnce)
	if err != nil {
		return Pushed{URL: to.Shown, Remote: to.Remote}, err
	}
	return send(ctx, s, n, to, folded)
}
