package strategy

import (
	"context"
	"errors"
	"strings"
	"time"

	"entire/internal/git"
)

const (
	// formerTries bounds the earlier steps that are checked when looking for an intact one.
	formerTries = 20
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

// mending runs a hook's work after repairing the current shadow branch. If the work fails because
// git has lost an object, the broken branches are set aside and the work is tried once more.
func (s *ManualCommitStrategy) mending(ctx context.Context, do func() error) error {
	s.mendTip(ctx)
	err := do()
	if err == nil || ctx.Err() != nil {
		return err
	}
	if mended := s.mendBroken(ctx); mended || errors.Is(err, git.ErrMissing) {
		return do()
	}
	return err
}

// mendTip repairs HEAD's shadow branch if its newest step seems to be missing. It reads no more
// than the hook itself does.
func (s *ManualCommitStrategy) mendTip(ctx context.Context) {
	head, ok := s.repo.Head()
	if !ok || !s.repo.MayBeBroken(ctx, s.shadowRef(head)) {
		return
	}
	s.mendBroken(ctx)
}

// tipLost reports whether a branch that seems not to exist, and cannot be created, names a step
// that git has lost. Where only git can tell, git is asked at the third try.
func (s *ManualCommitStrategy) tipLost(ctx context.Context, ref string, try int) bool {
	if s.repo.MayBeBroken(ctx, ref) {
		return true
	}
	if try != 2 {
		return false
	}
	tip, exists, err := s.repo.Ref(ctx, ref)
	if err != nil || !exists {
		return false
	}
	lost, err := s.anyLost(ctx, tip)
	return err == nil && lost
}

// mendBroken sets the broken branches of this repository aside. It returns true if there were
// some and all are repaired, so that the caller can try again.
func (s *ManualCommitStrategy) mendBroken(ctx context.Context) bool {
	broken, err := s.brokenRefs(ctx)
	for _, b := range broken {
		err = errors.Join(err, s.setBrokenAside(ctx, b))
	}
	if len(broken) > 0 {
		s.cache = nil
		err = errors.Join(err, s.forgetLost(ctx))
	}
	if err != nil {
		s.Log.Error("a broken branch is not mended", "err", err)
	}
	return len(broken) > 0 && err == nil
}

// brokenRefs returns the shadow branches and our other refs from which an object cannot be
// reached. Git is asked about all refs at once, and about each only if something is missing.
func (s *ManualCommitStrategy) brokenRefs(ctx context.Context) ([]brokenRef, error) {
	refs, branches, _, err := s.refsAndBranches(ctx)
	if err != nil {
		return nil, err
	}
	refs = append(refs, branches...)
	if len(refs) == 0 {
		return nil, nil
	}
	var oids []git.OID
	for _, ref := range refs {
		oids = append(oids, ref.OID)
	}
	if lost, err := s.repo.Lost(ctx, oids...); err != nil || lost.IsZero() {
		return nil, err
	}
	var out []brokenRef
	for _, ref := range refs {
		switch lost, err := s.repo.Lost(ctx, ref.OID); {
		case err != nil:
			return out, err
		case !lost.IsZero():
			out = append(out, brokenRef{Ref: ref.Name, Was: ref.OID, Why: whyBroken(ref.OID, lost)})
		}
	}
	return out, nil
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
func (s *ManualCommitStrategy) setBrokenAside(ctx context.Context, b brokenRef) error {
	if strings.HasPrefix(b.Ref, "refs/heads/") {
		b.Now = s.lastWhole(ctx, b)
	}
	b.At = s.Now()
	if err := s.noteBroken(ctx, b); err != nil {
		return err
	}
	// Deleting the ref first also deletes its reflog, which names the lost object.
	err := s.repo.UpdateRefs(ctx, []git.RefUpdate{{Name: b.Ref, Old: b.Was}})
	if err == nil && !b.Now.IsZero() {
		err = s.repo.UpdateRefs(ctx, []git.RefUpdate{{Name: b.Ref, New: b.Now}})
	}
	if errors.Is(err, git.ErrRefMoved) {
		return nil // another process has repaired it
	}
	s.Log.Error("a broken branch was set aside", "ref", b.Ref, "was", b.Was.String(), "now", b.Now.String(), "why", b.Why, "err", err)
	return err
}

// lastWhole returns the newest earlier step of a branch from which every object can be reached,
// zero if there is none.
func (s *ManualCommitStrategy) lastWhole(ctx context.Context, b brokenRef) git.OID {
	var below []git.OID
	for oid := b.Was; len(below) < formerTries; oid = below[len(below)-1] {
		c, err := s.repo.Reader(ctx).Commit(oid)
		if err != nil || len(c.Parents) == 0 {
			break
		}
		below = append(below, c.Parents[0])
	}
	former := s.repo.Former(b.Ref)
	for _, oid := range append(below, former[:min(len(former), formerTries)]...) {
		if lost, err := s.repo.Lost(ctx, oid); oid != b.Was && err == nil && lost.IsZero() {
			return oid
		}
	}
	return git.OID{}
}
