package step

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"entire/checkpoint/shadow"
	"entire/id"
	"entire/internal/git"
	"entire/strategy/sessionstate"
)

// committedBy maps a session to the commit that took its steps, for a walk down a shadow branch; ""
// stands for all other sessions.
type committedBy map[string]git.OID

// commitOf returns the commit that took a step, zero for none. It must be called for the steps from the
// newest to the oldest.
func (t committedBy) commitOf(st Step) git.OID {
	for _, sid := range st.Info.Taken {
		t[sid.String()] = st.Info.Base
	}
	if by, ok := t[st.Info.RawSession]; ok {
		return by
	}
	return t[""]
}

// A ListedStep is a step of this worktree, and the commit that took its work.
type ListedStep struct {
	Step
	TakenBy git.OID         // zero for none
	TakenIn id.CheckpointID // zero for none, and for a commit that is not linked
}

// A KeptEntry is one entry under a day's ref: it keeps the steps that one commit of the user took.
type KeptEntry struct {
	git.Commit
	shadow.KeptTurns
}

// previous returns the previous entry, zero for none.
func (e KeptEntry) previous() git.OID {
	if len(e.Parents) < 2 {
		return git.OID{}
	}
	return e.Parents[0]
}

// keptSteps returns the newest steps of this worktree that commits took, as far as want accepts
// them, at most limit, not older than since.
func keptSteps(ctx context.Context, s *sessionstate.Env, limit int, since time.Time, want func(Step) bool) ([]ListedStep, error) {
	var out []ListedStep
	for st, err := range KeptSteps(ctx, s, since) {
		if err != nil {
			return nil, err
		}
		if want(st.Step) {
			out = append(out, st)
		}
		if len(out) >= limit {
			break
		}
	}
	return out, nil
}

// KeptSteps yields the steps of this worktree that commits took and that are still kept, the newest day
// first, not older than since. Steps whose objects are missing are left out. An error is the last that
// it yields.
func KeptSteps(ctx context.Context, s *sessionstate.Env, since time.Time) iter.Seq2[ListedStep, error] {
	return func(yield func(ListedStep, error) bool) {
		days, err := keptTurnRefs(ctx, s)
		seen := map[git.OID]bool{}
		for _, day := range days {
			if err != nil || day.Name < KeptTurnsRoot(s)+since.UTC().Format(sessionstate.DayFormat) {
				break
			}
			more := true
			err = EachKeptEntry(ctx, s, day.OID, func(e KeptEntry) (bool, error) {
				var err error
				more, err = yieldKept(ctx, s, e, seen, yield)
				return more, err
			})
			if !more {
				return
			}
		}
		if err != nil {
			yield(ListedStep{}, err)
		}
	}
}

// keptTurnRefs returns the refs of this worktree that keep turns, the newest day first.
func keptTurnRefs(ctx context.Context, s *sessionstate.Env) ([]git.Ref, error) {
	if !MayHaveRefs(s, KeptTurnsRoot(s)) {
		return nil, nil
	}
	refs, err := s.Repo.Refs(ctx, KeptTurnsRoot(s))
	refs = slices.DeleteFunc(refs, func(ref git.Ref) bool { return !IsOwnRef(ref) })
	slices.Reverse(refs)
	return refs, err
}

// MayHaveRefs returns false if there is certainly no ref below a folder. It does not start git.
func MayHaveRefs(s *sessionstate.Env, folder string) bool {
	if sessionstate.PathExists(filepath.Join(s.Repo.CommonDir, filepath.FromSlash(folder))) || sessionstate.PathExists(filepath.Join(s.Repo.CommonDir, "reftable")) {
		return true
	}
	packed, err := os.ReadFile(filepath.Join(s.Repo.CommonDir, "packed-refs"))
	return err == nil && bytes.Contains(packed, []byte(" "+folder))
}

// EachKeptEntry calls fn for a day's entries, the newest first, until fn returns false. A day whose
// objects are missing has no entries, so that the other days can still be listed.
func EachKeptEntry(ctx context.Context, s *sessionstate.Env, tip git.OID, fn func(KeptEntry) (more bool, err error)) error {
	for oid := tip; !oid.IsZero(); {
		c, err := s.Repo.Reader(ctx).Commit(oid)
		if errors.Is(err, git.ErrMissing) {
			s.Log.Warn("turns that were kept are missing", "entry", oid.String())
			return nil
		}
		if err != nil {
			return err
		}
		k, ok := shadow.ParseKeptTurns(c.Message)
		if !ok {
			return nil
		}
		e := KeptEntry{c, k}
		if more, err := fn(e); err != nil || !more {
			return err
		}
		oid = e.previous()
	}
	return nil
}

// yieldKept yields the steps that this entry's own commit took; more is false once yield wants no other.
func yieldKept(ctx context.Context, s *sessionstate.Env, e KeptEntry, seen map[git.OID]bool, yield func(ListedStep, error) bool) (more bool, err error) {
	down := committedBy{}
	for _, sid := range e.Sessions {
		down[sid.String()] = e.KeptTurns.Commit
	}
	if len(e.Sessions) == 0 {
		down[""] = e.KeptTurns.Commit
	}
	tip, err := s.Repo.Reader(ctx).Commit(e.Tip)
	if err == nil {
		for st, werr := range Walk(ctx, s, tip, StepsScanned) {
			if err = werr; err != nil {
				break
			}
			if by := down.commitOf(st); by == e.KeptTurns.Commit && !seen[st.OID] {
				seen[st.OID] = true
				if !yield(ListedStep{st, by, e.Checkpoint}, nil) {
					return false, nil
				}
			}
		}
	}
	if errors.Is(err, git.ErrMissing) {
		s.Log.Warn("turns that were kept are missing", "tip", e.Tip.String())
		return true, nil
	}
	return true, err
}

// keptPoints returns the points of this worktree's turns that commits took and that are still kept,
// newest first.
func keptPoints(ctx context.Context, s *sessionstate.Env, limit int) ([]RewindPoint, error) {
	kept, err := keptSteps(ctx, s, limit, s.Now().Add(-s.KeepTurns), IsListed)
	if err != nil {
		return nil, fmt.Errorf("list turns that commits have taken: %w", err)
	}
	return keptStepPoints(ctx, s, kept)
}

func keptStepPoints(ctx context.Context, s *sessionstate.Env, kept []ListedStep) ([]RewindPoint, error) {
	steps := make([]Step, len(kept))
	for i, k := range kept {
		steps[i] = k.Step
	}
	points, err := StepPoints(ctx, s, steps)
	for i := range points {
		points[i].TakenBy, points[i].TakenIn = kept[i].TakenBy.String(), kept[i].TakenIn
	}
	return points, err
}

// findKept returns the point of a step that a commit took and whose ID begins with prefix; none if
// there is no such step.
func findKept(ctx context.Context, s *sessionstate.Env, prefix string) ([]RewindPoint, error) {
	if strings.Trim(prefix, "0123456789abcdef") != "" || !MayHaveRefs(s, KeptTurnsRoot(s)) {
		return nil, nil
	}
	c, ok, err := s.Repo.Reader(ctx).CommitOf(prefix)
	if err != nil || !ok || shadow.ParseStep(c.Message).Kind == "" {
		return nil, err
	}
	kept, err := keptSteps(ctx, s, 1, c.Committer.When.Add(-24*time.Hour), func(st Step) bool { return st.OID == c.OID })
	if err != nil {
		return nil, err
	}
	return keptStepPoints(ctx, s, kept)
}

// KeptTurnsRoot returns the folder of refs that keep this worktree's turns, one ref a day.
func KeptTurnsRoot(s *sessionstate.Env) string {
	return OwnRefRoot + sessionstate.KeptTurnsFolder + "/" + shadow.HashWorktreeID(s.Repo.WorktreeID) + "/"
}

// CommittedSteps are the steps of a branch that a commit took: those of all sessions, or of some while
// other sessions still need the branch.
type CommittedSteps struct {
	Tip      git.Commit
	Sessions []id.SessionID
}

// MayHaveTurns reports whether a branch may have a turn. A branch with a single step that only holds a
// turn's beginning has none.
func MayHaveTurns(tip git.Commit) bool {
	return len(tip.Parents) > 0 || IsListed(Step{tip, shadow.ParseStep(tip.Message)})
}
