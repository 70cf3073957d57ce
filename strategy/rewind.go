package strategy

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"entire/agent"
	"entire/checkpoint"
	"entire/internal/durable"
	"entire/internal/git"
	"entire/session"
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
	j := &journal{Version: 1, Session: plan.step.info.Session, Point: plan.step.OID, Head: now.head, Tree: plan.after, Safety: safety,
		Stage: filepath.Join(s.stageRoot(), plan.step.OID.Short())}
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
	if err := s.repo.Materialise(ctx, plan.after, files, j.Stage); err != nil {
		return nil, errors.Join(err, os.RemoveAll(s.stageRoot()))
	}
	return j, s.writeJournal(j)
}

// saveNow makes the present reachable: as a step of its own unless the tip of
// the branch is just that.
func (s *ManualCommitStrategy) saveNow(ctx context.Context, plan *RewindPlan, now *snapshot) (git.OID, error) {
	sid := plan.step.info.Session
	kind := checkpoint.StepHuman
	if s.othersAtWork(ctx, sid) {
		kind = checkpoint.StepMixed
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
		if err := wt.Place(c.path(), filepath.Join(j.Stage, filepath.FromSlash(c.path()))); err != nil {
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
		case f.sameContent(c.NewMode, c.New):
		case f.sameContent(c.OldMode, c.Old):
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
	return disk, nil
}

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
		if f := disk[c.path()]; !kept[c.path()] && !f.sameContent(c.NewMode, c.New) {
			out.Warnings = append(out.Warnings, fmt.Sprintf("%s reads back differently; its filters may not be lossless", c.path()))
		}
	}
	return nil
}

// rewound records the rewind as a step and lets the session's state and
// conversation follow.
func (s *ManualCommitStrategy) rewound(ctx context.Context, j *journal, out *RewindOutcome) error {
	if j.Session.IsZero() {
		return nil
	}
	o, err := s.openSession(ctx, j.Session)
	if err != nil {
		return err
	}
	defer o.close()
	rd := s.repo.Reader(ctx)
	point, err := rd.Commit(j.Point)
	if err != nil {
		return err
	}
	st := step{point, checkpoint.ParseStep(point.Message)}
	var overlay []git.Edit
	mine, found, err := rd.Path(point.Tree, checkpoint.SessionDir(j.Session))
	if err != nil {
		return err
	}
	if found {
		overlay = []git.Edit{{Path: checkpoint.SessionDir(j.Session), Mode: mine.Mode, OID: mine.OID}}
	}
	head, err := s.headTree(ctx, j.Head)
	if err != nil {
		return err
	}
	files, err := s.treeFiles(ctx, head, j.Tree)
	if err != nil {
		return err
	}
	snap := &snapshot{head: j.Head, files: s.withoutKept(ctx, j, files), stats: map[string]cachedStat{}}
	s.reloadCache()
	w, err := s.rewindStep(ctx, o, j, snap, overlay)
	if err != nil {
		return err
	}
	if o.isNew {
		return nil // somebody else's step: there is no session here to follow it
	}
	if err := s.stateAt(ctx, o, st, snap, w.commit); err != nil {
		return err
	}
	out.Warnings = append(out.Warnings, s.cutTranscript(o, st.info.Transcript)...)
	if a, ok := agent.ByType(o.state.AgentType); ok {
		out.ResumeCommand = a.ResumeCommand(o.id)
	}
	return s.save(ctx, o)
}

// withoutKept corrects the files of the target by what the plan left alone.
func (s *ManualCommitStrategy) withoutKept(ctx context.Context, j *journal, target fileStates) fileStates {
	now, err := s.now(ctx)
	if err != nil {
		s.Log.Warn("worktree not read after the rewind", "err", err)
		return target
	}
	return now.files
}

func (s *ManualCommitStrategy) rewindStep(ctx context.Context, o *open, j *journal, snap *snapshot, overlay []git.Edit) (writtenStep, error) {
	tip, exists, err := s.repo.Reader(ctx).CommitOf(s.shadowRef(j.Head))
	if err != nil {
		return writtenStep{}, err
	}
	if info := checkpoint.ParseStep(tip.Message); exists && info.Kind == checkpoint.StepRewind && info.Target == j.Point &&
		len(tip.Parents) == 1 && tip.Parents[0] == j.Safety {
		return writtenStep{commit: tip.OID, tree: tip.Tree}, nil // made before the crash
	}
	return s.writeStep(ctx, newStep{
		step:   checkpoint.Step{Kind: checkpoint.StepRewind, Subject: "rewind to " + j.Point.Short(), Session: o.id, Base: j.Head, Target: j.Point},
		author: s.author(ctx, o), base: j.Head, snap: snap, overlay: overlay,
	})
}

// stateAt makes the session's state what it was at a step.
func (s *ManualCommitStrategy) stateAt(ctx context.Context, o *open, st step, snap *snapshot, tip git.OID) error {
	touched, count, err := s.touchedUpTo(ctx, o, st)
	if err != nil {
		return err
	}
	o.state.FilesTouched = nil
	for _, p := range union(touched) {
		if _, dirty := snap.files.find(p); dirty {
			o.state.FilesTouched = append(o.state.FilesTouched, pathText(p))
		}
	}
	o.state.CheckpointCount = count
	o.side.Tip = tip
	if err := s.talkAt(ctx, o, st); err != nil {
		s.Log.Warn("conversation not taken back", "session_id", o.id.String(), "err", err)
	}
	talk := o.side.Condensed
	if o.side.Capture.Talk != nil {
		talk = o.side.Capture.Talk.Mark()
	}
	o.side.Turn = turnMark{Head: snap.head, Step: tip, Digest: snap.files.digest(), Talk: talk, Seen: o.state.Phase == session.PhaseActive}
	return nil
}

// touchedUpTo collects what the session's steps changed, from the first up to
// st; what a rewind undid is jumped over.
func (s *ManualCommitStrategy) touchedUpTo(ctx context.Context, o *open, st step) (files []string, count int, err error) {
	rd := s.repo.Reader(ctx)
	for n := 0; n < stepsScanned; n++ {
		next := git.OID{}
		if len(st.Parents) > 0 {
			next = st.Parents[0]
		}
		if st.info.Kind == checkpoint.StepRewind && !st.info.Target.IsZero() {
			next = st.info.Target
		} else if st.info.Session == o.id && (listed(st) || st.info.Kind == checkpoint.StepCarryForward) {
			changed, err := s.changedBy(ctx, st)
			if err != nil {
				return nil, 0, err
			}
			files = append(files, changed...)
			if st.info.Kind != checkpoint.StepTask {
				count++
			}
		}
		if next.IsZero() {
			break
		}
		c, err := rd.Commit(next)
		if err != nil {
			return nil, 0, err
		}
		st = step{c, checkpoint.ParseStep(c.Message)}
	}
	return files, count, nil
}

// changedBy are the paths a step changed against the one before it.
func (s *ManualCommitStrategy) changedBy(ctx context.Context, st step) ([]string, error) {
	changes, err := s.stepChanges(ctx, st)
	return paths(changes), err
}

func (s *ManualCommitStrategy) stepChanges(ctx context.Context, st step) ([]git.Change, error) {
	var before git.OID
	if len(st.Parents) > 0 {
		p, err := s.repo.Reader(ctx).Commit(st.Parents[0])
		if err != nil {
			return nil, err
		}
		before = p.Tree
	} else if !st.info.Base.IsZero() {
		var err error
		if before, err = s.headTree(ctx, st.info.Base); err != nil {
			return nil, err
		}
	}
	changes, err := s.repo.DiffTrees(ctx, before, st.Tree)
	return codeChanges(changes), err
}
