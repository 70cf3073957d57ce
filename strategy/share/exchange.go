package share

import (
	"context"
	"errors"
	"time"

	"entire/checkpoint/merge"
	"entire/checkpoint/shadow"
	"entire/internal/git"
	"entire/strategy/maintain"
	"entire/strategy/resume"
	"entire/strategy/sessionstate"
)

// usual returns how many milliseconds a push takes that loses no race: the mean of what was known and of the last one.
func usual(before int64, took time.Duration) int64 {
	now := took.Milliseconds()
	if before == 0 {
		return now
	}
	return (before + now) / 2
}

// Pushed is the result of sending sessions to one destination.
type Pushed struct {
	URL         string  `json:"url"`
	Remote      string  `json:"remote,omitempty"`
	Tip         git.OID `json:"tip,omitzero"`     // of the metadata branch, here and at the destination
	Checkpoints int     `json:"checkpoints_sent"` // that the destination did not have before
	Received    int     `json:"checkpoints_received"`
	Refs        int     `json:"refs_sent,omitempty"` // checkpoints in refs of their own, among those that were sent
	Inbox       string  `json:"inbox,omitempty"`     // the ref there that has them, if others kept sending at the same time
	Err         error   `json:"-"`

	took time.Duration // of a push that lost no race; 0 of another
}

// PushRequest says where to send sessions, and whether git may prompt and print.
type PushRequest struct {
	Target string // a remote or a URL; "" means those that the settings name, otherwise every approved destination

	git.Person // who waits at the terminal
}

// Push merges what destinations have into the local metadata branch and sends the branch to
// them. It fetches even when there is nothing to send. The result has one entry for each
// destination; an entry's error is [ErrNotAgreed] if the user has not approved the destination.
func Push(ctx context.Context, s *sessionstate.Env, req PushRequest) ([]Pushed, error) {
	list, err := pushTargets(ctx, s, req.Target)
	if err != nil {
		return nil, err
	}
	d, err := maintain.ReadDestinations(s)
	if err != nil {
		return nil, err
	}
	n := s.Repo.Network()
	n.Person = req.Person
	var out []Pushed
	var last resume.Destination
	sent := false
	for _, to := range list {
		done := Pushed{URL: to.Shown, Remote: to.Remote, Err: ErrNotAgreed}
		if find(&d, to.Shown) != nil {
			done, err = exchange(ctx, s, n, to)
			done.Err = err
			last, sent = to, sent || err == nil
		}
		out = append(out, done)
	}
	if !sent {
		return out, nil // what failed is in the entries
	}
	return out, tidyBodies(ctx, s, n, last)
}

// pushTargets returns where to send sessions: what target names, else what the settings name, else every
// destination that the person agreed to.
func pushTargets(ctx context.Context, s *sessionstate.Env, target string) ([]resume.Destination, error) {
	var list []resume.Destination
	if target != "" {
		urls, err := resolve(ctx, s, target)
		for _, u := range urls {
			to, err := pushDestination(ctx, s, target, u)
			if err != nil {
				return nil, err
			}
			list = append(list, to)
		}
		return list, err
	}
	if len(s.CheckpointRemotes) > 0 {
		for _, named := range s.CheckpointRemotes {
			more, err := pushTargets(ctx, s, named)
			if err != nil {
				return nil, err
			}
			list = append(list, more...)
		}
		return list, nil
	}
	agreed, err := Destinations(s)
	for _, a := range agreed {
		remote, url := remoteOf(ctx, s, a.URL)
		list = append(list, resume.Destination{Remote: remote, URL: url, Shown: a.URL})
	}
	return list, err
}

// exchange fetches and merges the destination's branch, then sends the local one.
func exchange(ctx context.Context, s *sessionstate.Env, n *git.Network, to resume.Destination) (Pushed, error) {
	before, err := countSealed(ctx, s)
	if err != nil {
		return Pushed{URL: to.Shown, Remote: to.Remote}, err
	}
	there, err := listStored(ctx, n, to)
	if err == nil {
		err = takeEpochs(ctx, s, n, to, there)
	}
	if err != nil {
		return Pushed{URL: to.Shown, Remote: to.Remote}, err
	}
	after, err := countSealed(ctx, s)
	if err != nil {
		return Pushed{URL: to.Shown, Remote: to.Remote}, err
	}
	received, err := receive(ctx, s, n, to, there[shadow.MetadataRef])
	received += max(after-before, 0)
	if err == nil {
		var more int
		more, err = receiveRefs(ctx, s, n, to)
		received += more
	}
	if err != nil {
		return Pushed{URL: to.Shown, Remote: to.Remote}, err
	}
	folded, err := fold(ctx, s, n, to, there, len(there))
	if err != nil {
		return Pushed{URL: to.Shown, Remote: to.Remote}, err
	}
	done, err := send(ctx, s, n, to, folded)
	done.Received += received
	return done, err
}

// receive fetches the destination's branch, merges it and returns the number of new checkpoints. theirs is its tip, zero if
// there is none.
func receive(ctx context.Context, s *sessionstate.Env, n *git.Network, to resume.Destination, theirs git.OID) (received int, err error) {
	if theirs.IsZero() {
		return 0, nil
	}
	before, _, err := s.Repo.Ref(ctx, shadow.MetadataRef)
	if err != nil || before == theirs {
		return 0, err
	}
	if _, err := resume.FetchAndMerge(ctx, s, n, to); err != nil {
		return 0, err
	}
	after, err := metadataTip(ctx, s)
	if err != nil {
		return 0, err
	}
	return merge.CountNew(ctx, s.Repo, before, after)
}

// send pushes the local branch; if the destination has more, send merges that first. The
// result's Checkpoints counts the checkpoints that readers could not fetch before, as far as is
// known here.
func send(ctx context.Context, s *sessionstate.Env, n *git.Network, to resume.Destination, folded []git.Ref) (Pushed, error) {
	done := Pushed{URL: to.Shown, Remote: to.Remote}
	if err := epochsBeforeMerge(ctx, s, n, to); err != nil {
		return done, err
	}
	over, err := resume.MergeTracked(ctx, s, to)
	if err == nil {
		err = maintain.DropForgotten(ctx, s)
	}
	if err != nil {
		return done, err
	}
	if err := sendBodies(ctx, s, n, to); err != nil { // before everything that stands for them
		return done, err
	}
	refsErr := sendRefs(ctx, s, n, to, &done) // before the branch, which may have lost what moved into refs
	done.Checkpoints = done.Refs
	if refsErr != nil && !errors.Is(refsErr, errRefused) {
		return done, refsErr
	}
	if err := sendEpochs(ctx, s, n, to); err != nil { // before the branch, which has lost what is sealed
		return done, err
	}
	if err := sendBranch(ctx, s, n, to, &done, over, folded); err != nil || done.Tip.IsZero() {
		return done, errors.Join(err, refsErr)
	}
	return done, errors.Join(recordSent(ctx, s, to, &done), refsErr, dropUnsealed(ctx, s, n, to))
}

// recordSent records what the destination has now and counts the checkpoints that are new there.
func recordSent(ctx context.Context, s *sessionstate.Env, to resume.Destination, done *Pushed) error {
	before, err := knownTip(ctx, s, to)
	if err == nil {
		var onBranch int
		onBranch, err = merge.CountNew(ctx, s.Repo, before, done.Tip)
		done.Checkpoints += onBranch
	}
	if err != nil {
		s.Log.Debug("checkpoints sent are not counted", "err", err)
	}
	return errors.Join(resume.UpdateTracking(ctx, s, to, done.Tip), updateDestinations(ctx, s, func(d *maintain.Destinations) {
		if a := find(d, to.Shown); a != nil {
			a.Sent, a.Inbox, a.Left = done.Tip, "", time.Time{}
			if done.took > 0 {
				a.Took = usual(a.Took, done.took)
			}
		}
	}))
}

// knownTip returns the last known tip of the destination's branch, zero if none is known.
func knownTip(ctx context.Context, s *sessionstate.Env, to resume.Destination) (git.OID, error) {
	if ref := resume.TrackingRef(to.Remote); ref != "" {
		c, ok, err := s.Repo.Reader(ctx).CommitOf(ref)
		if err != nil || ok {
			return c.OID, err
		}
	}
	d, err := maintain.ReadDestinations(s)
	if a := find(&d, to.Shown); a != nil {
		return a.Sent, err
	}
	return git.OID{}, err
}
