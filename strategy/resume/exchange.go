package resume

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"path/filepath"

	"entire/checkpoint/epoch"
	"entire/checkpoint/merge"
	"entire/checkpoint/sealing"
	"entire/checkpoint/shadow"
	"entire/checkpoint/tombstone"
	"entire/internal/git"
	"entire/strategy/sessionstate"
	"entire/strategy/step"
)

// dropOldLog clears a branch's reflog if the branch was rewritten without what is forgotten. A
// failure is only logged, because stored data is not affected.
func dropOldLog(ctx context.Context, s *sessionstate.Env, ref string, tip, old git.OID) {
	replaced, err := tombstone.Replaces(ctx, s.Repo, tip, old)
	if err == nil && replaced {
		err = tombstone.DropReflog(ctx, s.Repo, ref)
	}
	if err != nil {
		s.Log.Warn("the log of a branch stays", "ref", ref, "err", err)
	}
}

// MergeFetched merges a destination's branch into the local one. over is theirs if the destination's
// branch has something forgotten or sealed and must be replaced, otherwise zero.
func MergeFetched(ctx context.Context, s *sessionstate.Env, theirs git.OID) (over git.OID, err error) {
	if step.MayHaveRefs(s, epoch.Refs) {
		if _, err := sealing.Drop(ctx, s.Repo); err != nil {
			return over, err
		}
	}
	before, _, err := s.Repo.Ref(ctx, shadow.MetadataRef)
	if err != nil {
		return over, err
	}
	clean, _, err := sealing.Without(ctx, s.Repo, theirs)
	if err != nil {
		return over, err
	}
	moved, err := merge.Merge(ctx, s.Repo, clean)
	if err != nil {
		return over, err
	}
	tip, _, err := s.Repo.Ref(ctx, shadow.MetadataRef)
	if err != nil {
		return over, err
	}
	if moved && !before.IsZero() {
		dropOldLog(ctx, s, shadow.MetadataRef, tip, before)
	}
	replaced, err := tombstone.Replaces(ctx, s.Repo, tip, theirs)
	if replaced || clean != theirs {
		over = theirs
	}
	return over, err
}

// Destination is one place that a push goes to.
type Destination struct {
	Remote string // the remote's name, "" for a plain URL
	URL    string // as git resolved it, maybe with credentials
	Shown  string // without credentials, as it is stored and shown
}

// FetchAndMerge fetches the destination's branch to a temporary ref, merges it into the local
// branch and deletes the ref. over is the destination's tip if the push must replace it because
// it holds forgotten checkpoints, otherwise zero.
func FetchAndMerge(ctx context.Context, s *sessionstate.Env, n *git.Network, to Destination) (over git.OID, err error) {
	into := FetchedRef(s, to.Shown)
	if err := n.Fetch(ctx, to.URL, shadow.MetadataRef, into); err != nil {
		return over, err
	}
	theirs, ok, err := s.Repo.Ref(ctx, into)
	if err != nil || !ok {
		return over, errors.Join(err, ctx.Err())
	}
	over, err = MergeFetched(ctx, s, theirs)
	if err == nil {
		err = UpdateTracking(ctx, s, to, theirs)
	}
	if derr := s.Repo.UpdateRefs(ctx, []git.RefUpdate{{Name: into, Old: theirs}}); derr != nil {
		s.Log.Debug("fetched ref stays", "ref", into, "err", derr)
	}
	return over, err
}

// TrackingRef returns the ref with what a remote's metadata branch was when it was last fetched; "" for no
// remote.
func TrackingRef(remote string) string {
	if remote == "" {
		return ""
	}
	return "refs/remotes/" + remote + "/" + shadow.MetadataBranch
}

// MergeTracked merges what the user's own git fetch has brought from the destination. over has
// the same meaning as in FetchAndMerge.
func MergeTracked(ctx context.Context, s *sessionstate.Env, to Destination) (over git.OID, err error) {
	ref := TrackingRef(to.Remote)
	if ref == "" {
		return over, nil
	}
	c, ok, err := s.Repo.Reader(ctx).CommitOf(ref)
	if err != nil || !ok {
		return over, err
	}
	return MergeFetched(ctx, s, c.OID)
}

// UpdateTracking updates the remote-tracking ref after a push, as git does, if the remote's fetch URL
// equals the push URL.
func UpdateTracking(ctx context.Context, s *sessionstate.Env, to Destination, tip git.OID) error {
	ref := TrackingRef(to.Remote)
	if ref == "" {
		return nil
	}
	url, err := s.Repo.FetchURL(ctx, to.Remote)
	if err != nil || s.Repo.PlainURL(url) != to.Shown {
		return err
	}
	old, _, err := s.Repo.Ref(ctx, ref)
	if err != nil || old == tip {
		return err
	}
	err = s.Repo.UpdateRefs(ctx, []git.RefUpdate{{Name: ref, New: tip, Old: old}})
	if errors.Is(err, git.ErrRefMoved) {
		return nil // a fetch has updated the ref meanwhile
	}
	if err == nil {
		dropOldLog(ctx, s, ref, tip, old)
	}
	return err
}

// FetchedRef returns the ref that something of others is fetched into, until it is merged: always the same for what,
// unless a killed process has left a lock there.
func FetchedRef(s *sessionstate.Env, what string) string {
	for n := 0; ; n++ {
		sum := sha256.Sum256(fmt.Appendf(nil, "%s\x00%d", what, n))
		ref := fmt.Sprintf("refs/entire/fetched/%x", sum[:6])
		if n == 0 {
			sum = sha256.Sum256([]byte(what))
			ref = fmt.Sprintf("refs/entire/fetched/%x", sum[:6])
		}
		if !sessionstate.PathExists(filepath.Join(s.Repo.CommonDir, filepath.FromSlash(ref)+".lock")) || n > 100 {
			return ref
		}
	}
}
