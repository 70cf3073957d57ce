package strategy

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"

	"entire/checkpoint"
	"entire/id"
	"entire/internal/durable"
	"entire/internal/git"
)

// RewindOutcome is what a rewind did.
type RewindOutcome struct {
	Written       []string
	Removed       []string
	Kept          []KeptFile // left alone, and why
	SafetyID      string     // the step that holds what was there before
	SessionID     string
	ResumeCommand string
	Warnings      []string
}

// Rewind carries a plan out. The present is saved as a step first. Killed at any
// moment, it is finished by the next command. The index, HEAD and every path
// outside the plan stay as they are.
func (s *ManualCommitStrategy) Rewind(ctx context.Context, plan *RewindPlan) (*RewindOutcome, error) {
	lock, err := s.rewindLock(ctx)
	if err != nil {
		return nil, err
	}
	defer lock.Release()
	defer s.bringAlong(ctx)
	if j, err := s.readJournal(); err != nil {
		return nil, err
	} else if j != nil { // it has moved files the plan does not know of
		_, err := s.carryOut(ctx, j)
		return nil, errors.Join(ErrWorktreeMoved, err)
	}
	j, err := s.openRewind(ctx, plan)
	if err != nil {
		return nil, fmt.Errorf("rewind to %s: %w", plan.step.OID.Short(), err)
	}
	out, err := s.carryOut(ctx, j)
	if err != nil {
		return nil, fmt.Errorf("rewind to %s: %w", plan.step.OID.Short(), err)
	}
	out.Kept = append(out.Kept, plan.Kept...)
	out.Warnings = append(plan.Warnings, out.Warnings...)
	return out, nil
}

// openRewind saves the present, stages the files and writes the journal.
func (s *ManualCommitStrategy) openRewind(ctx context.Context, plan *RewindPlan) (*journal, error) {
	now, err := s.now(ctx)
	if err != nil {
		return nil, err
	}
	if now.head != plan.now.head || !now.files.equal(plan.now.files) {
		return nil, ErrWorktreeMoved
	}
	if err := s.leadTo(ctx, plan.step.info.Session, now); err != nil {
		return nil, err
	}
	safety, err := s.saveNow(ctx, plan, now)
	if err != nil {
		return nil, fmt.Errorf("save the present: %w", err)
	}
	j := &journal{Version: 1, Session: plan.step.info.Session, Point: plan.step.OID, Safety: safety}
	if err := os.RemoveAll(s.stageRoot()); err != nil { // of a rewind that never got its journal
		return nil, err
	}
	var files []git.File
	for _, c := range plan.Changes {
		ch := c.change
		j.Changes = append(j.Changes, planned{pathText(ch.Path), ch.OldMode, ch.NewMode, ch.Old, ch.New})
		if ch.NewMode != 0 {
			files = append(files, git.File{Path: ch.Path, Mode: ch.NewMode, OID: ch.New})
		}
	}
	if err := s.repo.Writer().Sync(); err != nil {
		return nil, err
	}
	var partly *git.StageError
	if err := s.repo.Materialise(ctx, plan.after, files, s.stage(j)); errors.As(err, &partly) {
		j.leaveOut(plan, partly.Reasons)
	} else if err != nil {
		return nil, errors.Join(err, os.RemoveAll(s.stageRoot()))
	}
	return j, s.writeJournal(j)
}

// leaveOut takes files that cannot be written here out of the rewind.
func (j *journal) leaveOut(plan *RewindPlan, reasons map[string]string) {
	j.Changes = slices.DeleteFunc(j.Changes, func(c planned) bool { return reasons[c.path()] != "" })
	for path, why := range reasons {
		plan.Kept = append(plan.Kept, KeptFile{path, why})
	}
}

// saveNow makes the present reachable: as a step of its own unless the tip of
// the branch is just that.
func (s *ManualCommitStrategy) saveNow(ctx context.Context, plan *RewindPlan, now *snapshot) (git.OID, error) {
	sid := plan.step.info.Session
	kind := checkpoint.StepHuman
	if s.othersAtWork(ctx, id.SessionID{}) {
		kind = checkpoint.StepMixed // an agent in mid-turn may have made some of it
	}
	sig := s.repo.Identity(ctx)
	sig.When = s.Now()
	w, err := s.writeStep(ctx, newStep{
		step: checkpoint.Step{Kind: kind, Subject: "before rewind to " + plan.step.OID.Short(), Session: sid, Base: now.head,
			StepContext: checkpoint.StepContext{Why: checkpoint.WhyBeforeRewind}},
		author: sig, base: now.head, snap: now,
	})
	return w.commit, err
}

// carryOut brings the worktree to what the journal says, however much of it is
// done already, and then the branch, the session and its transcript.
func (s *ManualCommitStrategy) carryOut(ctx context.Context, j *journal) (*RewindOutcome, error) {
	out := &RewindOutcome{SafetyID: j.Safety.String(), SessionID: j.Session.String()}
	if err := s.apply(ctx, j, out); err != nil {
		return nil, err
	}
	if err := s.rewound(ctx, j, out); err != nil {
		return nil, err
	}
	if err := durable.Remove(s.journalPath()); err != nil {
		return nil, err
	}
	return out, os.RemoveAll(s.stageRoot())
}
