package strategy

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"entire/checkpoint"
	"entire/id"
	"entire/internal/durable"
	"entire/internal/git"
	"entire/session"
)

// CommittingVar is set in the environment of the hooks of a commit that auto-commit makes; our
// hooks do nothing then.
const CommittingVar = "ENTIRE_COMMITTING"

// autoCommit is a commit that auto-commit is making, as the stored choice for that commit
// describes it.
type autoCommit struct {
	Parent git.OID    `json:"parent"`          // the commit it is made on
	Files  []autoFile `json:"files"`           // the files it is to change
	Task   string     `json:"task,omitempty"`  // tool use ID of the subagent whose run it commits
	Step   int        `json:"step,omitempty"`  // number of the step within that run; 0 at its end
	Title  string     `json:"title,omitempty"` // of the task's record

	edits []git.Edit // from the user's index to the commit's tree
}

// autoFile is one file of an autoCommit.
type autoFile struct {
	Path   string `json:"path"`
	Commit stood  `json:"commit,omitzero"`
	Staged stood  `json:"staged,omitzero"` // its version in the user's index before
	Index  stood  `json:"index,omitzero"`  // its version in the user's index after
}

// took reports whether auto-commit made the commit and committed all of the session's work in a
// file.
func (cm madeCommit) took(path string) bool {
	return cm.auto != nil && slices.ContainsFunc(cm.auto.Files, func(f autoFile) bool { return textPath(f.Path) == path })
}

// commitSession commits the files that a session has touched and that no commit holds yet. If
// that is not possible now, the state says why.
func (a *ManualCommitStrategy) commitSession(ctx context.Context, sid id.SessionID, again retry) error {
	if st, err := a.store.Load(ctx, sid); err != nil || len(st.FilesTouched) == 0 {
		return absentIsNone(err)
	}
	lock, err := durable.Acquire(ctx, filepath.Join(a.localDir(), "autocommit.lock"))
	if err != nil {
		return err
	}
	defer lock.Release()
	for try := 0; try < headTries; try++ {
		if err := a.resumeCommit(ctx); err != nil {
			return err
		}
		job, err := a.planCommit(ctx, sid, again)
		if err != nil || job == nil {
			return err
		}
		err = a.repo.CommitEdits(ctx, job.message, job.auto.edits, CommittingVar+"=1")
		if moved, err := a.made(ctx, sid, job, err); !moved {
			return err
		}
	}
	return a.waits(ctx, sid, "another git kept moving or locking HEAD", false)
}

const (
	// headTries bounds how often a commit is planned again because another process committed at the
	// same moment.
	headTries = 20
	// Another git's lock is waited for lockTries times lockPause.
	lockTries = 20
	lockPause = 50 * time.Millisecond
)

// absentIsNone turns session.ErrNotFound into nil.
func absentIsNone(err error) error {
	if errors.Is(err, session.ErrNotFound) {
		return nil
	}
	return err
}

// autoJob is a commit about to be made.
type autoJob struct {
	message string
	auto    *autoCommit
}

// planCommit plans the commit and stores the choice for it; job is nil if there is nothing to
// commit, or if the commit has to wait.
func (a *ManualCommitStrategy) planCommit(ctx context.Context, sid id.SessionID, again retry) (job *autoJob, err error) {
	err = a.inSession(ctx, sid, func(o *open) error {
		o.noteWaiting()
		if o.side.Auto.Refused && again == unlessRefused {
			return nil
		}
		o.side.Auto.Held, o.side.Auto.Refused = nil, false
		if o.side.Auto.Waits = a.notNow(ctx); o.side.Auto.Waits != "" {
			return nil
		}
		snap, st, err := a.snapshotWithStatus(ctx)
		if err != nil {
			return err
		}
		if snap.head.IsZero() {
			o.side.Auto.Waits = "the branch has no commit yet: the first one is yours"
			return nil
		}
		if unmerged(st) {
			o.side.Auto.Waits = "a merge left conflicts in the index"
			return nil
		}
		if err := a.followHead(ctx, o, snap); err != nil {
			return err
		}
		job, err = a.planFiles(ctx, o, snap, st)
		return err
	})
	return job, err
}

// noteWaiting remembers where the conversation was when the first turn with uncommitted work
// began.
func (o *open) noteWaiting() {
	if len(o.state.FilesTouched) == 0 {
		o.side.Auto.Since = nil
	} else if o.side.Auto.Since == nil {
		began := o.side.Turn.Talk
		o.side.Auto.Since = &began
	}
}

// notNow returns why no commit can be made now, "" if one can.
func (a *ManualCommitStrategy) notNow(ctx context.Context) string {
	for name, what := range map[string]string{
		"MERGE_HEAD": "a merge", "CHERRY_PICK_HEAD": "a cherry-pick", "REVERT_HEAD": "a revert", "BISECT_LOG": "a bisection",
		"rebase-merge": "a rebase", "rebase-apply": "a rebase", "sequencer": "a sequence of picks",
	} {
		if exists(filepath.Join(a.repo.GitDir, name)) {
			return what + " is in progress"
		}
	}
	for range lockTries {
		if !a.repo.IndexLocked() {
			return ""
		}
		if git.Pause(ctx, lockPause) != nil {
			break
		}
	}
	return "another git was at work on the index"
}

func unmerged(st *git.Status) bool {
	return slices.ContainsFunc(st.Entries, func(e git.StatusEntry) bool { return e.Unmerged })
}

// snapshotWithStatus returns a snapshot and the status that it was made from.
func (a *ManualCommitStrategy) snapshotWithStatus(ctx context.Context) (*snapshot, *git.Status, error) {
	st, err := a.repo.Status(ctx)
	if err != nil {
		return nil, nil, err
	}
	snap, err := a.takeSnapshot(ctx, st)
	return snap, st, err
}

// planFiles plans each of the session's files, and drops from the state the files that are as in
// HEAD again.
func (a *ManualCommitStrategy) planFiles(ctx context.Context, o *open, snap *snapshot, st *git.Status) (*autoJob, error) {
	turns, err := a.fileTurns(ctx, o, snap, st)
	if err != nil {
		return nil, err
	}
	auto := &autoCommit{Parent: snap.head}
	uncommitted := map[string]bool{}
	for _, f := range turns {
		p, err := f.plan(func(base, ours, theirs git.OID, favour git.Favour) (git.OID, bool, error) {
			return a.repo.MergeBlobs(ctx, base, ours, theirs, favour)
		})
		switch {
		case err != nil:
			return nil, fmt.Errorf("plan the commit of %s: %w", f.path, err)
		case p.held != "":
			o.side.Auto.Held = append(o.side.Auto.Held, KeptFile{f.path, p.held})
			uncommitted[pathText(f.path)] = true
		case !p.same:
			auto.Files = append(auto.Files, autoFile{pathText(f.path), p.commit, f.index, p.index})
			uncommitted[pathText(f.path)] = true
		}
	}
	if len(a.evidence(ctx).stashTrees()) == 0 { // a stash may bring back a file that is as in HEAD
		o.state.FilesTouched = slices.DeleteFunc(o.state.FilesTouched, func(p string) bool { return !uncommitted[p] })
		o.forgetBefore()
	}
	if len(auto.Files) == 0 {
		return nil, nil
	}
	auto.edits = commitEdits(auto, st)
	return a.prepareCommit(ctx, o, auto)
}

// forgetBefore keeps the remembered earlier versions only of files that are still uncommitted.
func (o *open) forgetBefore() {
	for name := range o.side.Auto.Before {
		if !slices.Contains(o.state.FilesTouched, name) {
			delete(o.side.Auto.Before, name)
		}
	}
}

// commitEdits returns the edits that lead from the user's index to the commit's tree. Other files
// that the user has staged are as in HEAD there.
func commitEdits(auto *autoCommit, st *git.Status) []git.Edit {
	var edits []git.Edit
	own := map[string]bool{}
	for _, f := range auto.Files {
		path := textPath(f.Path)
		own[path] = true
		edits = append(edits, git.Edit{Path: path, Mode: f.Commit.Mode, OID: f.Commit.OID})
	}
	for _, e := range st.Entries {
		staged := !e.Untracked && (e.HeadMode != e.IndexMode || e.HeadOID != e.IndexOID)
		if staged && !own[e.Path] {
			edits = append(edits, git.Edit{Path: e.Path, Mode: e.HeadMode, OID: e.HeadOID})
		}
	}
	return edits
}

// fileTurns collects the versions of the session's files that differ from HEAD on disk. A file
// that is as in HEAD was undone and is not committed.
func (a *ManualCommitStrategy) fileTurns(ctx context.Context, o *open, snap *snapshot, st *git.Status) ([]fileTurn, error) {
	last, err := a.lastStep(ctx, o)
	if err != nil {
		return nil, err
	}
	var inStep fileStates // empty if the step is on another commit: the file on disk counts then
	if last.info.Base == snap.head {
		if inStep, err = a.above(ctx, snap.head, last.Tree); err != nil {
			return nil, err
		}
	}
	entries := map[string]git.StatusEntry{}
	for _, e := range mergeEntries(st.Entries) {
		entries[e.Path] = e
	}
	var out []fileTurn
	for _, p := range textPaths(o.state.FilesTouched) {
		e, differs := entries[p]
		now, onDisk := snap.files.find(p)
		if !differs || !onDisk {
			continue // nothing to commit
		}
		f := fileTurn{path: p, head: stoodAt(e.HeadMode, e.HeadOID), index: stoodAt(e.IndexMode, e.IndexOID), after: stood{now.mode, now.oid}}
		if was, ok := inStep.find(p); ok {
			f.after = stood{was.mode, was.oid}
		}
		f.before, f.known = o.side.Auto.Before[pathText(p)]
		out = append(out, f)
	}
	return out, nil
}

// stoodAt drops the zeros that git writes for a missing file.
func stoodAt(mode uint32, oid git.OID) stood {
	if mode == 0 {
		return stood{}
	}
	return stood{mode, oid}
}

// lastStep returns the session's last step; its Base is zero if there is none.
func (a *ManualCommitStrategy) lastStep(ctx context.Context, o *open) (step, error) {
	if o.side.Tip.IsZero() {
		return step{}, nil
	}
	tip, ok, err := a.repo.Reader(ctx).CommitOf(o.side.Tip.String())
	if err != nil || !ok {
		return step{}, err
	}
	return step{tip, checkpoint.ParseStep(tip.Message)}, nil
}

// prepareCommit chooses the commit's message and stores the choice by which the commit is linked.
func (a *ManualCommitStrategy) prepareCommit(ctx context.Context, o *open, auto *autoCommit) (*autoJob, error) {
	cp, err := id.Generate()
	if err != nil {
		return nil, err
	}
	last, err := a.lastStep(ctx, o)
	if err != nil {
		return nil, err
	}
	subject := checkpoint.StepSubject(lastOf(a.turnPrompts(o)), o.state.AgentType)
	if listed(last) {
		subject = last.info.Subject
		auto.describeTask(o, last.info)
	}
	if o.side.Auto.Subject != "" {
		subject = checkpoint.StepSubject(o.side.Auto.Subject, o.state.AgentType)
	}
	if err := a.writePrepared(prepared{Checkpoint: cp, Sessions: []id.SessionID{o.id}, Auto: auto}); err != nil {
		return nil, err
	}
	return &autoJob{message: checkpoint.SafeSubject(subject) + "\n\n" + checkpoint.TrailerCheckpoint + ": " + cp.String() + "\n", auto: auto}, nil
}

// describeTask notes the subagent whose run the commit holds.
func (auto *autoCommit) describeTask(o *open, info checkpoint.StepInfo) {
	if info.Kind != checkpoint.StepTask {
		return
	}
	auto.Task, auto.Title = info.ToolUseID, info.Subject
	if mark := o.side.Tasks[info.ToolUseID]; mark != nil {
		auto.Step = mark.Steps
	}
}

// describe gives the record of an auto-commit's commit the form that such records have: one
// checkpoint, and the task's files next to the sessions. Other commits' records stay as they are.
func (cm madeCommit) describe(rec *checkpoint.Record) {
	if cm.auto == nil {
		return
	}
	rec.EphemeralBranch = ""
	for i := range rec.Sessions {
		s := &rec.Sessions[i]
		rec.Extra, s.Extra = append(rec.Extra, s.Extra...), nil
		s.Metadata.CheckpointsCount = 1
		if cm.auto.Task != "" {
			s.Metadata.CheckpointsCount, s.Metadata.IsTask, s.Metadata.ToolUseID = 0, true, cm.auto.Task
		}
	}
	if cm.auto.Task == "" {
		return
	}
	rec.Subject, rec.MetadataTask = cm.auto.Title, rec.ID.Path()+"/tasks/"+cm.auto.Task
	if cm.auto.Step > 0 {
		rec.MetadataTask += fmt.Sprintf("/checkpoints/%03d-%s.json", cm.auto.Step, cm.auto.Task)
	}
}
