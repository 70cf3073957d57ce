package strategy

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"entire/checkpoint"
	"entire/id"
	"entire/internal/git"
)

// takenBy maps a session to the commit that took its steps, for a walk down a shadow branch; ""
// stands for all other sessions.
type takenBy map[string]git.OID

// at returns the commit that took a step, zero for none. It must be called for the steps from the
// newest to the oldest.
func (t takenBy) at(st step) git.OID {
	for _, sid := range st.info.Taken {
		t[sid.String()] = st.info.Base
	}
	if by, ok := t[st.info.RawSession]; ok {
		return by
	}
	return t[""]
}

// keptStep is a step that a commit took.
type keptStep struct {
	step
	by git.OID
	in id.CheckpointID // zero for a commit that is not linked
}

// A keptEntry is one entry under a day's ref: it keeps the steps that one commit of the user took.
type keptEntry struct {
	git.Commit
	checkpoint.KeptTurns
}

// before returns the previous entry, zero for none.
func (e keptEntry) before() git.OID {
	if len(e.Parents) < 2 {
		return git.OID{}
	}
	return e.Parents[0]
}

// keptSteps returns the newest steps of this worktree that commits took, as far as want accepts
// them, at most limit, not older than since.
func (s *ManualCommitStrategy) keptSteps(ctx context.Context, limit int, since time.Time, want func(step) bool) ([]keptStep, error) {
	days, err := s.turnDays(ctx)
	if err != nil {
		return nil, err
	}
	var out []keptStep
	seen := map[git.OID]bool{}
	for _, day := range days {
		if day.Name < s.turnRefs()+since.UTC().Format(dayForm) {
			break
		}
		err := s.eachEntry(ctx, day.OID, func(e keptEntry) (more bool, err error) {
			out, err = s.stepsKeptBy(ctx, e, out, limit, seen, want)
			return len(out) < limit, err
		})
		if err != nil || len(out) >= limit {
			return out, err
		}
	}
	return out, nil
}

// turnDays returns the refs of this worktree that keep turns, the newest day first.
func (s *ManualCommitStrategy) turnDays(ctx context.Context) ([]git.Ref, error) {
	if !s.anyRefs(s.turnRefs()) {
		return nil, nil
	}
	refs, err := s.repo.Refs(ctx, s.turnRefs())
	refs = slices.DeleteFunc(refs, func(ref git.Ref) bool { return !ownRef(ref) })
	slices.Reverse(refs)
	return refs, err
}

// anyRefs returns false if there is certainly no ref below a folder. It does not start git.
func (s *ManualCommitStrategy) anyRefs(folder string) bool {
	if exists(filepath.Join(s.repo.CommonDir, filepath.FromSlash(folder))) || exists(filepath.Join(s.repo.CommonDir, "reftable")) {
		return true
	}
	packed, err := os.ReadFile(filepath.Join(s.repo.CommonDir, "packed-refs"))
	return err == nil && bytes.Contains(packed, []byte(" "+folder))
}

// eachEntry calls fn for a day's entries, the newest first, until fn returns false. A day whose
// objects are missing has no entries, so that the other days can still be listed.
func (s *ManualCommitStrategy) eachEntry(ctx context.Context, tip git.OID, fn func(keptEntry) (more bool, err error)) error {
	for oid := tip; !oid.IsZero(); {
		c, err := s.repo.Reader(ctx).Commit(oid)
		if errors.Is(err, git.ErrMissing) {
			s.Log.Warn("turns that were kept are missing", "entry", oid.String())
			return nil
		}
		if err != nil {
			return err
		}
		k, ok := checkpoint.ParseKeptTurns(c.Message)
		if !ok {
			return nil
		}
		e := keptEntry{c, k}
		if more, err := fn(e); err != nil || !more {
			return err
		}
		oid = e.before()
	}
	return nil
}

// stepsKeptBy appends to out the steps that this entry's own commit took.
func (s *ManualCommitStrategy) stepsKeptBy(ctx context.Context, e keptEntry, out []keptStep, limit int, seen map[git.OID]bool, want func(step) bool) ([]keptStep, error) {
	down := takenBy{}
	for _, sid := range e.Sessions {
		down[sid.String()] = e.KeptTurns.Commit
	}
	if len(e.Sessions) == 0 {
		down[""] = e.KeptTurns.Commit
	}
	err := s.walkSteps(ctx, e.Tip, func(st step) bool {
		if seen[st.OID] {
			return true
		}
		if by := down.at(st); by == e.KeptTurns.Commit {
			seen[st.OID] = true
			if want(st) {
				out = append(out, keptStep{st, by, e.Checkpoint})
			}
		}
		return len(out) < limit
	})
	if errors.Is(err, git.ErrMissing) {
		s.Log.Warn("turns that were kept are missing", "tip", e.Tip.String())
		return out, nil
	}
	return out, err
}

// walkSteps calls fn for a step and its first parents, until fn returns false.
func (s *ManualCommitStrategy) walkSteps(ctx context.Context, from git.OID, fn func(step) bool) error {
	rd := s.repo.Reader(ctx)
	c, err := rd.Commit(from)
	for n := 0; err == nil && n < stepsScanned; n++ {
		if !fn(step{c, checkpoint.ParseStep(c.Message)}) || len(c.Parents) == 0 {
			return nil
		}
		c, err = rd.Commit(c.Parents[0])
	}
	return err
}

// keptPoints returns the points of this worktree's turns that commits took and that are still kept,
// newest first.
func (s *ManualCommitStrategy) keptPoints(ctx context.Context, limit int) ([]RewindPoint, error) {
	kept, err := s.keptSteps(ctx, limit, s.Now().Add(-s.KeepTurns), listed)
	if err != nil {
		return nil, fmt.Errorf("list turns that commits have taken: %w", err)
	}
	return s.pointsOfKept(ctx, kept)
}

func (s *ManualCommitStrategy) pointsOfKept(ctx context.Context, kept []keptStep) ([]RewindPoint, error) {
	steps := make([]step, len(kept))
	for i, k := range kept {
		steps[i] = k.step
	}
	points, err := s.stepPoints(ctx, steps)
	for i := range points {
		points[i].TakenBy, points[i].TakenIn = kept[i].by.String(), kept[i].in
	}
	return points, err
}

// keptAs returns the point of a step that a commit took and whose ID begins with prefix; none if
// there is no such step.
func (s *ManualCommitStrategy) keptAs(ctx context.Context, prefix string) ([]RewindPoint, error) {
	if strings.Trim(prefix, "0123456789abcdef") != "" || !s.anyRefs(s.turnRefs()) {
		return nil, nil
	}
	c, ok, err := s.repo.Reader(ctx).CommitOf(prefix)
	if err != nil || !ok || checkpoint.ParseStep(c.Message).Kind == "" {
		return nil, err
	}
	kept, err := s.keptSteps(ctx, 1, c.Committer.When.Add(-24*time.Hour), func(st step) bool { return st.OID == c.OID })
	if err != nil {
		return nil, err
	}
	return s.pointsOfKept(ctx, kept)
}
