package strategy

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"

	"entire/checkpoint"
	"entire/internal/git"
)

// pushTries bounds how often a push is repeated after another push to the same branch came
// first.
const pushTries = 5

// Pushed is the result of sending sessions to one destination.
type Pushed struct {
	URL         string  `json:"url"`
	Remote      string  `json:"remote,omitempty"`
	Tip         git.OID `json:"tip,omitzero"`     // of the metadata branch, here and at the destination
	Checkpoints int     `json:"checkpoints_sent"` // that the destination did not have before
	Received    int     `json:"checkpoints_received"`
	Err         error   `json:"-"`
}

// PushRequest says where to send sessions, and whether git may prompt and print.
type PushRequest struct {
	Target string // a remote or a URL; "" means every approved destination

	Ask      bool // git and ssh may prompt on Stdin
	Stdin    io.Reader
	Progress io.Writer
}

// Push merges what destinations have into the local metadata branch and sends the branch to
// them. It fetches even when there is nothing to send. The result has one entry for each
// destination; an entry's error is [ErrNotAgreed] if the user has not approved the destination.
func (s *ManualCommitStrategy) Push(ctx context.Context, req PushRequest) ([]Pushed, error) {
	list, err := s.pushTargets(ctx, req.Target)
	if err != nil {
		return nil, err
	}
	d, err := s.readDestinations()
	if err != nil {
		return nil, err
	}
	n := s.repo.Network()
	n.Ask, n.Stdin, n.Progress = req.Ask, req.Stdin, req.Progress
	var out []Pushed
	for _, to := range list {
		done := Pushed{URL: to.plain, Remote: to.remote, Err: ErrNotAgreed}
		if d.find(to.plain) != nil {
			done, err = s.exchange(ctx, n, to)
			done.Err = err
		}
		out = append(out, done)
	}
	return out, nil
}

func (s *ManualCommitStrategy) pushTargets(ctx context.Context, target string) ([]destination, error) {
	var list []destination
	if target != "" {
		urls, err := s.resolve(ctx, target)
		for _, u := range urls {
			to, err := s.pushDestination(ctx, target, u)
			if err != nil {
				return nil, err
			}
			list = append(list, to)
		}
		return list, err
	}
	agreed, err := s.Destinations()
	for _, a := range agreed {
		remote, url := s.remoteOf(ctx, a.URL)
		list = append(list, destination{remote: remote, url: url, plain: a.URL})
	}
	return list, err
}

// exchange fetches and merges the destination's branch, then sends the local one.
func (s *ManualCommitStrategy) exchange(ctx context.Context, n *git.Network, to destination) (Pushed, error) {
	received, err := s.receive(ctx, n, to)
	if err != nil {
		return Pushed{URL: to.plain, Remote: to.remote}, err
	}
	done, err := s.send(ctx, n, to)
	done.Received += received
	return done, err
}

// receive fetches the destination's branch, merges it and returns the number of new checkpoints.
func (s *ManualCommitStrategy) receive(ctx context.Context, n *git.Network, to destination) (received int, err error) {
	theirs, ok, err := n.Tip(ctx, to.url, checkpoint.MetadataRef)
	if err != nil || !ok {
		return 0, err
	}
	before, _, err := s.repo.Ref(ctx, checkpoint.MetadataRef)
	if err != nil || before == theirs {
		return 0, err
	}
	if _, err := s.fetchAndMerge(ctx, n, to); err != nil {
		return 0, err
	}
	after, err := s.stored(ctx)
	if err != nil {
		return 0, err
	}
	return checkpoint.CountNew(ctx, s.repo, before, after)
}

// fetchAndMerge fetches the destination's branch to a temporary ref, merges it into the local
// branch and deletes the ref. over is the destination's tip if the push must replace it because
// it holds forgotten checkpoints, otherwise zero.
func (s *ManualCommitStrategy) fetchAndMerge(ctx context.Context, n *git.Network, to destination) (over git.OID, err error) {
	sum := sha256.Sum256([]byte(to.plain))
	into := fmt.Sprintf("refs/entire/fetched/%x", sum[:6])
	if err := n.Fetch(ctx, to.url, checkpoint.MetadataRef, into); err != nil {
		return over, err
	}
	theirs, ok, err := s.repo.Ref(ctx, into)
	if err != nil || !ok {
		return over, errors.Join(err, ctx.Err())
	}
	over, err = s.merge(ctx, theirs)
	if err == nil {
		err = s.track(ctx, to, theirs)
	}
	if derr := s.repo.UpdateRefs(ctx, []git.RefUpdate{{Name: into, Old: theirs}}); derr != nil {
		s.Log.Debug("fetched ref stays", "ref", into, "err", derr)
	}
	return over, err
}

// send pushes the local branch; if the destination has more, send merges that first. The
// result's Checkpoints counts the checkpoints that readers could not fetch before, as far as is
// known here.
func (s *ManualCommitStrategy) send(ctx context.Context, n *git.Network, to destination) (Pushed, error) {
	done := Pushed{URL: to.plain, Remote: to.remote}
	over, err := s.mergeTracked(ctx, to)
	if err == nil {
		err = s.dropForgotten(ctx)
	}
	if err != nil {
		return done, err
	}
	for try := 0; ; try++ {
		tip, err := s.stored(ctx)
		if err != nil || tip.IsZero() {
			return done, err
		}
		err = n.PushOver(ctx, to.url, tip, checkpoint.MetadataRef, over)
		if err == nil {
			done.Tip = tip
			return done, s.noteSent(ctx, to, &done)
		}
		if !errors.Is(err, git.ErrRejected) || try >= pushTries {
			return done, err
		}
		if over, err = s.fetchAndMerge(ctx, n, to); err != nil {
			return done, err
		}
	}
}

// noteSent records what the destination has now and counts the checkpoints that are new there.
func (s *ManualCommitStrategy) noteSent(ctx context.Context, to destination, done *Pushed) error {
	before, err := s.known(ctx, to)
	if err == nil {
		done.Checkpoints, err = checkpoint.CountNew(ctx, s.repo, before, done.Tip)
	}
	if err != nil {
		s.Log.Debug("checkpoints sent are not counted", "err", err)
	}
	return errors.Join(s.track(ctx, to, done.Tip), s.updateDestinations(ctx, func(d *destinations) {
		if a := d.find(to.plain); a != nil {
			a.Sent = done.Tip
		}
	}))
}

// known returns the last known tip of the destination's branch, zero if none is known.
func (s *ManualCommitStrategy) known(ctx context.Context, to destination) (git.OID, error) {
	if ref := trackingRef(to.remote); ref != "" {
		c, ok, err := s.repo.Reader(ctx).CommitOf(ref)
		if err != nil || ok {
			return c.OID, err
		}
	}
	d, err := s.readDestinations()
	if a := d.find(to.plain); a != nil {
		return a.Sent, err
	}
	return git.OID{}, err
}

func trackingRef(remote string) string {
	if remote == "" {
		return ""
	}
	return "refs/remotes/" + remote + "/" + checkpoint.MetadataBranch
}

// mergeTracked merges what the user's own git fetch has brought from the destination. over has
// the same meaning as in fetchAndMerge.
func (s *ManualCommitStrategy) mergeTracked(ctx context.Context, to destination) (over git.OID, err error) {
	ref := trackingRef(to.remote)
	if ref == "" {
		return over, nil
	}
	c, ok, err := s.repo.Reader(ctx).CommitOf(ref)
	if err != nil || !ok {
		return over, err
	}
	return s.merge(ctx, c.OID)
}

// track updates the remote-tracking ref after a push, as git does, if the remote's fetch URL
// equals the push URL.
func (s *ManualCommitStrategy) track(ctx context.Context, to destination, tip git.OID) error {
	ref := trackingRef(to.remote)
	if ref == "" {
		return nil
	}
	url, err := s.repo.FetchURL(ctx, to.remote)
	if err != nil || s.repo.PlainURL(url) != to.plain {
		return err
	}
	old, _, err := s.repo.Ref(ctx, ref)
	if err != nil || old == tip {
		return err
	}
	err = s.repo.UpdateRefs(ctx, []git.RefUpdate{{Name: ref, New: tip, Old: old}})
	if errors.Is(err, git.ErrRefMoved) {
		return nil // a fetch has updated the ref meanwhile
	}
	if err == nil {
		s.dropOldLog(ctx, ref, tip, old)
	}
	return err
}
