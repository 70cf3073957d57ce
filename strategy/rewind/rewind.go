package rewind

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"

	"entire/checkpoint/shadow"
	"entire/id"
	"entire/internal/durable"
	"entire/internal/git"
	"entire/strategy/condense"
	"entire/strategy/restore"
	"entire/strategy/sessionstate"
	"entire/strategy/step"
	"entire/strategy/worktree"
)

// Rewind carries a plan out. It saves the present as a step first. If it is killed at any moment,
// the next command finishes it. The index, HEAD and every path outside the plan stay as they are.
func Rewind(ctx context.Context, s *sessionstate.Env, plan *Plan) (*restore.RewindOutcome, error) {
	lock, err := lockRewind(ctx, s)
	if err != nil {
		return nil, err
	}
	defer lock.Release()
	defer condense.ApplyMoves(ctx, s)
	now, err := SnapshotNow(ctx, s)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", plan.description(), err)
	}
	if now.Head != plan.Present.Head || !worktree.Equal(now.Files, plan.Present.Files) {
		return nil, fmt.Errorf("%s: %w", plan.description(), restore.ErrWorktreeMoved)
	}
	return rewindFrom(ctx, s, plan, now)
}

// RewindNow plans and rewinds in one call: it saves the worktree as the plan read it, so that the
// worktree is read only once. It still compares each file with the saved version before it replaces
// or removes the file. An error of plans ends RewindNow before anything is changed.
func RewindNow(ctx context.Context, s *sessionstate.Env, plans func() (*Plan, error)) (*Plan, *restore.RewindOutcome, error) {
	lock, err := lockRewind(ctx, s)
	if err != nil {
		return nil, nil, err
	}
	defer lock.Release()
	plan, err := plans()
	if err != nil {
		return nil, nil, err
	}
	defer condense.ApplyMoves(ctx, s)
	if head, _ := s.Repo.Head(ctx); head != plan.Present.Head {
		return nil, nil, fmt.Errorf("%s: %w", plan.description(), restore.ErrWorktreeMoved)
	}
	out, err := rewindFrom(ctx, s, plan, plan.Present)
	return plan, out, err
}

// lockRewind takes the rewind lock. If a rewind was interrupted, it finishes that one and returns
// ErrWorktreeMoved, because files changed that no plan has seen.
func lockRewind(ctx context.Context, s *sessionstate.Env) (*durable.Lock, error) {
	lock, err := condense.RewindLock(ctx, s)
	if err != nil {
		return nil, err
	}
	j, err := restore.ReadJournal(s)
	if err == nil && j != nil {
		_, err = CarryOutJournal(ctx, s, j, false)
		err = errors.Join(restore.ErrWorktreeMoved, err)
	}
	if err != nil {
		lock.Release()
		return nil, err
	}
	return lock, nil
}

// rewindFrom carries a plan out, starting from the present that it was made for.
func rewindFrom(ctx context.Context, s *sessionstate.Env, plan *Plan, now *worktree.Snapshot) (*restore.RewindOutcome, error) {
	j, err := PrepareRewind(ctx, s, plan, now)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", plan.description(), err)
	}
	out, err := CarryOutJournal(ctx, s, j, true)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", plan.description(), err)
	}
	out.Replaced = plan.replacedFiles(out)
	out.Kept = append(out.Kept, plan.Kept...)
	out.Warnings = append(plan.Warnings, out.Warnings...)
	return out, nil
}

// PrepareRewind saves the present, stages the files and writes the journal.
func PrepareRewind(ctx context.Context, s *sessionstate.Env, plan *Plan, now *worktree.Snapshot) (*restore.RewindJournal, error) {
	j, err := newRewindJournal(plan)
	if err != nil {
		return nil, err
	}
	if err := survey(s, j); err != nil {
		return nil, err
	}
	if err := checkAllSaved(ctx, s, j); err != nil {
		return nil, err
	}
	if len(plan.Conflicts) > 0 && plan.Scope.Conflicts == ConflictsStop {
		return nil, fmt.Errorf("%w: %s", ErrConflicts, strings.Join(plan.conflictPaths(), ", "))
	}
	entry, err := NewEntry(ctx, s, plan)
	if err != nil {
		return nil, err
	}
	if err := condense.Migrate(ctx, s, plan.session, now); err != nil {
		return nil, err
	}
	raw, err := restore.RawEdits(s, j)
	if err != nil {
		return nil, err
	}
	safety, err := savePresent(ctx, s, plan, now, raw)
	if err != nil {
		return nil, fmt.Errorf("save the present: %w", err)
	}
	if err := condense.ClaimOpenTurns(ctx, s, now, safety); err != nil {
		return nil, err
	}
	if entry.Work, err = restorableWork(ctx, s, plan); err != nil {
		return nil, err
	}
	j.Safety, j.Entry = safety, entry
	if plan.pointGaps == nil || len(plan.pointGaps.Perms) == 0 {
		j.Present = now
	}
	entry.Before = safety.String()
	if err := s.Repo.Writer().Sync(); err != nil {
		return nil, err
	}
	if err := findRaw(ctx, s, j, plan); err != nil {
		return nil, err
	}
	if err := restore.StageFiles(ctx, s, j); err != nil {
		return nil, errors.Join(fmt.Errorf("%w; nothing was changed", err), restore.ClearStage(s))
	}
	if err := condense.NumberEntry(ctx, s, entry, func() error { return restore.BeginJournal(s, j) }); err != nil {
		return nil, errors.Join(err, restore.ClearStage(s))
	}
	return j, nil
}

// savePresent makes the present reachable: by a step of its own, unless the branch's tip has the same
// tree.
func savePresent(ctx context.Context, s *sessionstate.Env, plan *Plan, now *worktree.Snapshot, raw []git.Edit) (git.OID, error) {
	kind := shadow.StepHuman
	if condense.OthersActive(ctx, s, id.SessionID{}) {
		kind = shadow.StepMixed // an agent in mid-turn may have made some of the changes
	}
	sig := plan.author
	if sig.Name == "" {
		sig = s.Repo.Identity(ctx)
	}
	sig.When = s.Now()
	n := step.NewStep{
		Step: shadow.Step{Kind: kind, Subject: "before " + plan.description(), Session: plan.session,
			StepContext: shadow.StepContext{Why: shadow.WhyBeforeRewind}},
		Author: sig, Snap: now, Overlay: raw,
	}
	for try := 0; ; try++ {
		w, err := step.WriteStep(ctx, s, n)
		if err != nil {
			return git.OID{}, err
		}
		differing, err := step.CodeDiff(ctx, s, plan.before, w.Tree)
		switch {
		case err != nil || len(differing) == 0:
			return w.Commit, err
		case try > 0:
			return git.OID{}, fmt.Errorf("the step would not have %s as it is", sessionstate.EncodePath(differing[0].Path))
		}
		s.Log.Error("a step was not what the worktree is: made again without the cache", "path", sessionstate.EncodePath(differing[0].Path))
		worktree.SaveCache(s, &sessionstate.WorktreeCache{})
	}
}

// CarryOutJournal changes the worktree as the journal says, however much of it is done already, then
// records the rewind on the branch and in the session and its transcript. fresh states that nothing
// is done yet: the rewind then stops if somebody else changes a file.
func CarryOutJournal(ctx context.Context, s *sessionstate.Env, j *restore.RewindJournal, fresh bool) (*restore.RewindOutcome, error) {
	ctx = context.WithoutCancel(ctx) // a rewind that has begun is always completed; it takes moments
	out := &restore.RewindOutcome{SafetyID: j.Safety.String(), SessionID: j.Session.String()}
	if j.Entry != nil {
		out.EntryID = j.Entry.ID
	}
	if err := restore.ApplyChanges(ctx, s, j, out, fresh); err != nil {
		return nil, restore.AbortRewind(ctx, s, j, err)
	}
	if err := recordRewind(ctx, s, j, out); err != nil {
		return nil, fmt.Errorf("the files are in place, but the rewind is not recorded; the next command records it: %w", err)
	}
	if err := restoreTouched(ctx, s, j); err != nil {
		return nil, fmt.Errorf("the files are in place, but not all sessions know of it; the next command tells them: %w", err)
	}
	return out, restore.CloseJournal(s, j)
}

func newRewindJournal(plan *Plan) (*restore.RewindJournal, error) {
	var rnd [4]byte
	if _, err := rand.Read(rnd[:]); err != nil {
		return nil, err
	}
	j := &restore.RewindJournal{Version: restore.JournalVersion, ID: hex.EncodeToString(rnd[:]), Session: plan.session, Point: plan.step.OID,
		Before: plan.before, After: plan.after, Undoes: plan.undoes, ReturnedWork: plan.returnedWork, Conversation: plan.conversationMark, State: plan.state}
	for _, c := range plan.Changes {
		ch := c.Change
		j.Changes = append(j.Changes, restore.JournalChange{Path: sessionstate.EncodePath(ch.Path), OldMode: ch.OldMode, NewMode: ch.NewMode, Old: ch.Old, New: ch.New,
			ExactOID: plan.chosen[ch.Path].Bytes, KeptFolders: plan.pointGaps.EmptyParents(ch.Path), Perm: plan.pointGaps.Perm(ch.Path)})
	}
	return j, nil
}
