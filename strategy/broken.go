package strategy

import (
	"context"
	"errors"
	"strings"
	"time"

	"entire/internal/git"
)

const (
	// formerTries bounds the earlier steps that are looked at for one that is whole.
	formerTries = 20
	// brokenShown is how long status and doctor tell of a branch that was broken.
	brokenShown = 7 * 24 * time.Hour
)

// brokenRef is a ref of ours that named, or led to, an object that git had lost. No
// ref can keep it, so it is written down.
type brokenRef struct {
	At  time.Time `json:"at"`
	Ref string    `json:"ref"`
	Was git.OID   `json:"was"`
	Now git.OID   `json:"now,omitzero"` // the step that it goes on from; zero for none
	Why string    `json:"why"`
}

// mending does what a hook is to do, on branches that are whole: what fails because
// git has lost something is tried again when that is out of the way.
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

// mendTip looks, before a hook builds on it, whether HEAD's shadow branch names a
// step that is there. It reads no more than the hook itself does.
func (s *ManualCommitStrategy) mendTip(ctx context.Context) {
	head, ok := s.repo.Head()
	if !ok || !s.repo.MayBeBroken(ctx, s.shadowRef(head)) {
		return
	}
	s.mendBroken(ctx)
}

// tipLost reports that a branch which seems not to exist, and cannot be made, names
// a step that git has lost. Where only git can tell, it is asked at the third try.
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

// mendBroken sets the broken branches of this repository aside, and reports
// whether there were some: what failed can then be tried again.
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

// brokenRefs are the shadow branches, and the refs beside them that are ours, from
// which something cannot be reached. Git is asked about all at once, and about each
// only where something is missing.
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

func whyBroken(was, lost git.OID) string {
	if was == lost {
		return "git has lost its newest step, " + was.Short()
	}
	return "git has lost " + lost.Short() + ", which its newest step " + was.Short() + " needs"
}

// setBrokenAside writes a broken ref down and moves it to the newest of its earlier
// steps that is whole, or away. The ref is only moved from what it was seen to be.
func (s *ManualCommitStrategy) setBrokenAside(ctx context.Context, b brokenRef) error {
	if strings.HasPrefix(b.Ref, "refs/heads/") {
		b.Now = s.lastWhole(ctx, b)
	}
	b.At = s.Now()
	if err := s.noteBroken(ctx, b); err != nil {
		return err
	}
	// It is deleted first, for its reflog to go, which names what is lost.
	err := s.repo.UpdateRefs(ctx, []git.RefUpdate{{Name: b.Ref, Old: b.Was}})
	if err == nil && !b.Now.IsZero() {
		err = s.repo.UpdateRefs(ctx, []git.RefUpdate{{Name: b.Ref, New: b.Now}})
	}
	if errors.Is(err, git.ErrRefMoved) {
		return nil // somebody else has mended it
	}
	s.Log.Error("a broken branch was set aside", "ref", b.Ref, "was", b.Was.String(), "now", b.Now.String(), "why", b.Why, "err", err)
	return err
}

// lastWhole is the newest earlier step of a branch from which all can be reached,
// zero for none.
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
