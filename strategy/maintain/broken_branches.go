package maintain

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"entire/checkpoint/shadow"
	"entire/internal/git"
	"entire/strategy/sessionstate"
	"entire/strategy/step"
	"entire/strategy/worktree"
)

const (
	// earlierStepsMax bounds the earlier steps that are checked when looking for an intact one.
	earlierStepsMax = 20
	// brokenShown is how long status and doctor report a branch that was broken.
	brokenShown = 7 * 24 * time.Hour
)

// brokenRef is a ref of ours that led to an object which git has lost. No ref can keep such an
// object, so a file records it.
type brokenRef struct {
	At  time.Time `json:"at"`
	Ref string    `json:"ref"`
	Was git.OID   `json:"was"`
	Now git.OID   `json:"now,omitzero"` // the step that the ref was moved to; zero if it was deleted
	Why string    `json:"why"`
}

// RepairTip repairs HEAD's shadow branch if its newest step, or the branch, seems to be missing. It reads hardly more
// than the hook itself does.
func RepairTip(ctx context.Context, s *sessionstate.Env) {
	head, ok := s.Repo.Head(ctx)
	if !ok {
		return
	}
	ref := worktree.ShadowRef(s, head)
	restoreTorn(ctx, s, ref)
	restoreDeleted(ctx, s, head, ref)
	if !s.Repo.MayBeBroken(ctx, ref) {
		return
	}
	RepairBroken(ctx, s)
}

// restoreTorn restores a ref whose file a power cut emptied, and reports whether it did.
func restoreTorn(ctx context.Context, s *sessionstate.Env, ref string) bool {
	restored := s.Repo.RestoreTorn(ctx, ref)
	if restored {
		s.Log.Warn("a ref without a value has that of its reflog", "ref", ref)
	}
	return restored
}

// RepairBroken sets the broken branches of this repository aside. It returns true if there were
// some and all are repaired, so that the caller can try again.
func RepairBroken(ctx context.Context, s *sessionstate.Env) bool {
	restored := restoreTorn(ctx, s, shadow.MetadataRef)
	broken, err := brokenRefs(ctx, s)
	for _, b := range broken {
		err = errors.Join(err, setBrokenAside(ctx, s, b))
	}
	if len(broken) > 0 {
		s.Cache = nil
		err = errors.Join(err, forgetLost(ctx, s))
	}
	if err != nil {
		s.Log.Error("a broken branch is not mended", "err", err)
	}
	return (restored || len(broken) > 0) && err == nil
}

// brokenRefs returns the metadata branch if its tip is missing, and the shadow branches and our other refs from which an
// object cannot be reached. Git is asked about all refs at once, and about each only if something is missing.
func brokenRefs(ctx context.Context, s *sessionstate.Env) ([]brokenRef, error) {
	refs, branches, _, err := step.ListRefsAndBranches(ctx, s)
	if err != nil {
		return nil, err
	}
	refs = append(refs, branches...)
	out, err := brokenMetadata(ctx, s)
	if err != nil || len(refs) == 0 {
		return out, err
	}
	var oids []git.OID
	for _, ref := range refs {
		oids = append(oids, ref.OID)
	}
	if lost, err := s.Repo.Lost(ctx, oids...); err != nil || lost.IsZero() {
		return out, err
	}
	for _, ref := range refs {
		switch lost, err := s.Repo.Lost(ctx, ref.OID); {
		case err != nil:
			return out, err
		case !lost.IsZero():
			out = append(out, brokenRef{Ref: ref.Name, Was: ref.OID, Why: whyBroken(ref.OID, lost)})
		}
	}
	return out, nil
}

// brokenMetadata returns the metadata branch if its newest commit, or the tree of that, is missing. In a partial clone
// git may have left them at the remote.
func brokenMetadata(ctx context.Context, s *sessionstate.Env) ([]brokenRef, error) {
	tip, there, err := s.Repo.Ref(ctx, shadow.MetadataRef)
	if err != nil || !there || s.Repo.IsPartial() {
		return nil, err
	}
	lost := lostAtTip(ctx, s, tip)
	if lost.IsZero() {
		return nil, nil
	}
	return []brokenRef{{Ref: shadow.MetadataRef, Was: tip, Why: "git has lost its newest commit, " + tip.Short()}}, nil
}

// whyBroken says which object a broken ref lacks.
func whyBroken(was, lost git.OID) string {
	if was == lost {
		return "git has lost its newest step, " + was.Short()
	}
	return "git has lost " + lost.Short() + ", which its newest step " + was.Short() + " needs"
}

// setBrokenAside records a broken ref and moves it to the newest intact step before it, or
// deletes it. The ref is changed only if it still has the value that was seen.
func setBrokenAside(ctx context.Context, s *sessionstate.Env, b brokenRef) error {
	if b.Ref == shadow.MetadataRef {
		return setMetadataBack(ctx, s, b)
	}
	if strings.HasPrefix(b.Ref, "refs/heads/") {
		b.Now = lastIntact(ctx, s, b)
	}
	b.At = s.Now()
	if err := noteBroken(ctx, s, b); err != nil {
		return err
	}
	// Deleting the ref first also deletes its reflog, which names the lost object.
	err := s.Repo.UpdateRefs(ctx, []git.RefUpdate{{Name: b.Ref, Old: b.Was}})
	if err == nil && !b.Now.IsZero() {
		err = s.Repo.UpdateRefs(ctx, []git.RefUpdate{{Name: b.Ref, New: b.Now}})
	}
	if errors.Is(err, git.ErrRefMoved) {
		return nil // another process has repaired it
	}
	s.Log.Error("a broken branch was set aside", "ref", b.Ref, "was", b.Was.String(), "now", b.Now.String(), "why", b.Why, "err", err)
	return err
}

// setMetadataBack moves the metadata branch to its newest former commit that is there, or to origin's. It does not delete
// the branch if there is neither: git keeps older checkpoints as long as it cannot read the branch.
func setMetadataBack(ctx context.Context, s *sessionstate.Env, b brokenRef) error {
	former := s.Repo.Former(ctx, b.Ref)
	if origin, there, err := s.Repo.Ref(ctx, shadow.RemoteMetadataRef); err == nil && there {
		former = append(former[:min(len(former), earlierStepsMax)], origin)
	}
	at := slices.IndexFunc(former, func(oid git.OID) bool { return oid != b.Was && lostAtTip(ctx, s, oid).IsZero() })
	if at < 0 {
		return errors.New(b.Why + ", and no earlier one is known; fetch the branch from a clone that has it")
	}
	b.At, b.Now = s.Now(), former[at]
	if err := noteBroken(ctx, s, b); err != nil {
		return err
	}
	err := s.Repo.UpdateRefs(ctx, []git.RefUpdate{{Name: b.Ref, New: b.Now, Old: b.Was}})
	if errors.Is(err, git.ErrRefMoved) {
		return nil // another process has repaired it
	}
	s.Log.Error("the metadata branch was set back", "was", b.Was.String(), "now", b.Now.String(), "why", b.Why, "err", err)
	return err
}

// lastIntact returns the newest earlier step of a branch from which every object can be reached,
// zero if there is none.
func lastIntact(ctx context.Context, s *sessionstate.Env, b brokenRef) git.OID {
	var below []git.OID
	for oid := b.Was; len(below) < earlierStepsMax; oid = below[len(below)-1] {
		c, err := s.Repo.Reader(ctx).Commit(oid)
		if err != nil || len(c.Parents) == 0 {
			break
		}
		below = append(below, c.Parents[0])
	}
	former := s.Repo.Former(ctx, b.Ref)
	for _, oid := range append(below, former[:min(len(former), earlierStepsMax)]...) {
		if lost, err := s.Repo.Lost(ctx, oid); oid != b.Was && err == nil && lost.IsZero() {
			return oid
		}
	}
	return git.OID{}
}
