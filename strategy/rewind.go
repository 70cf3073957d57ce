package strategy

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
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
		step:   checkpoint.Step{Kind: kind, Subject: "before rewind to " + plan.step.OID.Short(), Session: sid, Base: now.head},
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

// apply removes and places files one by one. A path that is neither as it was
// nor as it shall be was changed by somebody since: it is left and named.
func (s *ManualCommitStrategy) apply(ctx context.Context, j *journal, out *RewindOutcome) error {
	wt, err := s.repo.OpenWorktree()
	if err != nil {
		return err
	}
	defer wt.Close()
	todo, err := s.undone(ctx, j, out)
	if err != nil {
		return err
	}
	for _, c := range todo {
		if c.NewMode == 0 {
			if err := wt.Remove(c.path()); err != nil {
				out.Kept = append(out.Kept, KeptFile{c.path(), err.Error()})
				continue
			}
			out.Removed = append(out.Removed, c.path())
		}
	}
	for _, c := range todo {
		if c.NewMode == 0 {
			continue
		}
		// One file that cannot be replaced must not keep the others, or the next
		// command, from finishing: it is named, and the present was saved.
		if err := wt.Place(c.path(), filepath.Join(s.stage(j), filepath.FromSlash(c.path()))); err != nil {
			out.Kept = append(out.Kept, KeptFile{c.path(), err.Error()})
			continue
		}
		out.Written = append(out.Written, c.path())
	}
	return s.verify(ctx, j, out)
}

// undone are the changes still to be made.
func (s *ManualCommitStrategy) undone(ctx context.Context, j *journal, out *RewindOutcome) ([]planned, error) {
	disk, err := s.onDisk(ctx, j.Changes)
	if err != nil {
		return nil, err
	}
	var todo []planned
	for _, c := range j.Changes {
		f := disk[c.path()]
		switch {
		case s.stands(f, c.NewMode, c.New):
		case s.stands(f, c.OldMode, c.Old):
			todo = append(todo, c)
		default:
			out.Kept = append(out.Kept, KeptFile{c.path(), "changed meanwhile"})
		}
	}
	return todo, nil
}

// onDisk hashes what stands at each path now.
func (s *ManualCommitStrategy) onDisk(ctx context.Context, changes []planned) (map[string]fileState, error) {
	var entries []git.StatusEntry
	for _, c := range changes {
		// A HEAD side that nothing equals, so that every path is reported.
		entries = append(entries, git.StatusEntry{Path: c.path(), HeadMode: git.ModeTree})
	}
	snap, err := s.takeSnapshot(ctx, &git.Status{Entries: entries})
	if err != nil {
		return nil, err
	}
	disk := map[string]fileState{}
	for _, f := range snap.files {
		disk[f.path] = f
	}
	for _, k := range snap.skipped { // there, but nobody can tell what it is
		disk[k.Path] = fileState{path: k.Path, mode: git.ModeTree}
	}
	return disk, nil
}

// stands reports whether f is what a tree says. Where the executable bit of a
// file means nothing, it is not compared.
func (s *ManualCommitStrategy) stands(f fileState, mode uint32, oid git.OID) bool {
	if !s.repo.FileMode && isRegular(f.mode) && isRegular(mode) {
		return f.oid == oid
	}
	return f.sameContent(mode, oid)
}

func isRegular(mode uint32) bool { return mode == git.ModeFile || mode == git.ModeExec }

// verify reads every file back that was written.
func (s *ManualCommitStrategy) verify(ctx context.Context, j *journal, out *RewindOutcome) error {
	kept := map[string]bool{}
	for _, k := range out.Kept {
		kept[k.Path] = true
	}
	disk, err := s.onDisk(ctx, j.Changes)
	if err != nil {
		return err
	}
	for _, c := range j.Changes {
		if f := disk[c.path()]; !kept[c.path()] && !s.stands(f, c.NewMode, c.New) {
			out.Warnings = append(out.Warnings, fmt.Sprintf("%s reads back differently; its filters may not be lossless", c.path()))
		}
	}
	return nil
}
