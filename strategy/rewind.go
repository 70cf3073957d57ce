package strategy

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"entire/checkpoint"
	"entire/id"
	"entire/internal/durable"
	"entire/internal/git"
)

// RewindOutcome is what a rewind did.
type RewindOutcome struct {
	Written       []string
	Removed       []string
	Kept          []KeptFile // paths left alone, and why
	SafetyID      string     // the step that holds the worktree from before the rewind
	SessionID     string
	EntryID       string   // of the log
	Replaced      []string // files whose later changes by a person were replaced
	ResumeCommand string
	Warnings      []string
}

// Rewind carries a plan out. It saves the present as a step first. If it is killed at any moment,
// the next command finishes it. The index, HEAD and every path outside the plan stay as they are.
func (s *ManualCommitStrategy) Rewind(ctx context.Context, plan *RewindPlan) (*RewindOutcome, error) {
	lock, err := s.beginRewind(ctx)
	if err != nil {
		return nil, err
	}
	defer lock.Release()
	defer s.bringAlong(ctx)
	now, err := s.now(ctx)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", plan.what(), err)
	}
	if now.head != plan.now.head || !now.files.equal(plan.now.files) {
		return nil, fmt.Errorf("%s: %w", plan.what(), ErrWorktreeMoved)
	}
	return s.rewindFrom(ctx, plan, now)
}

// RewindNow plans and rewinds in one call: it saves the worktree as the plan read it, so that the
// worktree is read only once. It still compares each file with the saved version before it replaces
// or removes the file. An error of plans ends RewindNow before anything is changed.
func (s *ManualCommitStrategy) RewindNow(ctx context.Context, plans func() (*RewindPlan, error)) (*RewindPlan, *RewindOutcome, error) {
	lock, err := s.beginRewind(ctx)
	if err != nil {
		return nil, nil, err
	}
	defer lock.Release()
	plan, err := plans()
	if err != nil {
		return nil, nil, err
	}
	defer s.bringAlong(ctx)
	if head, _ := s.repo.Head(); head != plan.now.head {
		return nil, nil, fmt.Errorf("%s: %w", plan.what(), ErrWorktreeMoved)
	}
	out, err := s.rewindFrom(ctx, plan, plan.now)
	return plan, out, err
}

// beginRewind takes the rewind lock. If a rewind was interrupted, it finishes that one and returns
// ErrWorktreeMoved, because files changed that no plan has seen.
func (s *ManualCommitStrategy) beginRewind(ctx context.Context) (*durable.Lock, error) {
	lock, err := s.rewindLock(ctx)
	if err != nil {
		return nil, err
	}
	j, err := s.readJournal()
	if err == nil && j != nil {
		_, err = s.carryOut(ctx, j, false)
		err = errors.Join(ErrWorktreeMoved, err)
	}
	if err != nil {
		lock.Release()
		return nil, err
	}
	return lock, nil
}

// rewindFrom carries a plan out, starting from the present that it was made for.
func (s *ManualCommitStrategy) rewindFrom(ctx context.Context, plan *RewindPlan, now *snapshot) (*RewindOutcome, error) {
	j, err := s.openRewind(ctx, plan, now)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", plan.what(), err)
	}
	out, err := s.carryOut(ctx, j, true)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", plan.what(), err)
	}
	out.Replaced = plan.replaced(out)
	out.Kept = append(out.Kept, plan.Kept...)
	out.Warnings = append(plan.Warnings, out.Warnings...)
	return out, nil
}

// openRewind saves the present, stages the files and writes the journal.
func (s *ManualCommitStrategy) openRewind(ctx context.Context, plan *RewindPlan, now *snapshot) (*journal, error) {
	j, err := s.newJournal(plan)
	if err != nil {
		return nil, err
	}
	if err := s.survey(j); err != nil {
		return nil, err
	}
	if err := s.allSaved(ctx, j); err != nil {
		return nil, err
	}
	if len(plan.Conflicts) > 0 && plan.Scope.Conflicts == ConflictsStop {
		return nil, fmt.Errorf("%w: %s", ErrConflicts, strings.Join(plan.conflicting(), ", "))
	}
	entry, err := s.newEntry(ctx, plan)
	if err != nil {
		return nil, err
	}
	if err := s.leadTo(ctx, plan.sid, now); err != nil {
		return nil, err
	}
	raw, err := s.rawEdits(j)
	if err != nil {
		return nil, err
	}
	safety, err := s.saveNow(ctx, plan, now, raw)
	if err != nil {
		return nil, fmt.Errorf("save the present: %w", err)
	}
	if err := s.claimUnderWay(ctx, now, safety); err != nil {
		return nil, err
	}
	if entry.Work, err = s.workTaken(ctx, plan); err != nil {
		return nil, err
	}
	j.Safety, j.Entry = safety, entry
	if plan.point == nil || len(plan.point.perms) == 0 {
		j.seen = now
	}
	entry.Before = safety.String()
	if err := s.repo.Writer().Sync(); err != nil {
		return nil, err
	}
	if err := s.findRaw(ctx, j, plan); err != nil {
		return nil, err
	}
	if err := s.stageFiles(ctx, j); err != nil {
		return nil, errors.Join(fmt.Errorf("%w; nothing was changed", err), s.clearStage())
	}
	return j, s.beginJournal(j)
}

// saveNow makes the present reachable: by a step of its own, unless the branch's tip has the same
// tree.
func (s *ManualCommitStrategy) saveNow(ctx context.Context, plan *RewindPlan, now *snapshot, raw []git.Edit) (git.OID, error) {
	kind := checkpoint.StepHuman
	if s.othersAtWork(ctx, id.SessionID{}) {
		kind = checkpoint.StepMixed // an agent in mid-turn may have made some of the changes
	}
	sig := plan.author
	if sig.Name == "" {
		sig = s.repo.Identity(ctx)
	}
	sig.When = s.Now()
	n := newStep{
		step: checkpoint.Step{Kind: kind, Subject: "before " + plan.what(), Session: plan.sid, Base: now.head,
			StepContext: checkpoint.StepContext{Why: checkpoint.WhyBeforeRewind}},
		author: sig, base: now.head, snap: now, overlay: raw,
	}
	for try := 0; ; try++ {
		w, err := s.writeStep(ctx, n)
		if err != nil {
			return git.OID{}, err
		}
		differing, err := s.codeDiff(ctx, plan.before, w.tree)
		switch {
		case err != nil || len(differing) == 0:
			return w.commit, err
		case try > 0:
			return git.OID{}, fmt.Errorf("the step would not have %s as it is", pathText(differing[0].Path))
		}
		s.Log.Error("a step was not what the worktree is: made again without the cache", "path", pathText(differing[0].Path))
		s.saveCache(&worktreeCache{})
	}
}

// carryOut changes the worktree as the journal says, however much of it is done already, then
// records the rewind on the branch and in the session and its transcript. fresh states that nothing
// is done yet: the rewind then stops if somebody else changes a file.
func (s *ManualCommitStrategy) carryOut(ctx context.Context, j *journal, fresh bool) (*RewindOutcome, error) {
	ctx = context.WithoutCancel(ctx) // a rewind that has begun is always completed; it takes moments
	out := &RewindOutcome{SafetyID: j.Safety.String(), SessionID: j.Session.String()}
	if j.Entry != nil {
		out.EntryID = j.Entry.ID
	}
	if err := s.apply(ctx, j, out, fresh); err != nil {
		return nil, s.giveUp(ctx, j, err)
	}
	if err := s.rewound(ctx, j, out); err != nil {
		return nil, fmt.Errorf("the files are in place, but it could not be recorded; the next command does: %w", err)
	}
	if err := s.handBack(ctx, j); err != nil {
		return nil, fmt.Errorf("the files are in place, but not all sessions know of it; the next command tells them: %w", err)
	}
	return out, s.closeJournal(j)
}
