package autocommit

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"entire/checkpoint/shadow"
	"entire/checkpoint/trailer"
	"entire/id"
	"entire/internal/durable"
	"entire/internal/git"
	"entire/session"
	"entire/strategy/condense"
	"entire/strategy/evidence"
	"entire/strategy/githead"
	"entire/strategy/link"
	"entire/strategy/sessionstate"
	"entire/strategy/step"
	"entire/strategy/worktree"
)

// CommittingVar is set in the environment of the hooks of a commit that auto-commit makes; our
// hooks do nothing then.
const CommittingVar = "ENTIRE_COMMITTING"

// CommitSession commits the files that a session has touched and that no commit holds yet. If
// that is not possible now, the state says why.
func CommitSession(ctx context.Context, a *sessionstate.Env, sid id.SessionID, again retry) error {
	if st, err := a.Store.Load(ctx, sid); err != nil || len(st.FilesTouched) == 0 {
		return ignoreNotFound(err)
	}
	lock, err := durable.Acquire(ctx, filepath.Join(a.LocalDir(), "autocommit.lock"))
	if err != nil {
		return err
	}
	defer lock.Release()
	for range headTries {
		if err := link.FinishPending(ctx, a); err != nil {
			return err
		}
		job, err := planCommit(ctx, a, sid, again)
		if err != nil || job == nil {
			return err
		}
		err = a.Repo.CommitEdits(ctx, job.message, job.auto.Edits, CommittingVar+"=1")
		if moved, err := made(ctx, a, sid, job, err); !moved {
			return err
		}
	}
	return waits(ctx, a, sid, "another git kept moving or locking HEAD", false)
}

const (
	// headTries bounds how often a commit is planned again because another process committed at the
	// same moment.
	headTries = 20
	// Another git's lock is waited for lockTries times lockPause.
	lockTries = 20
	lockPause = 50 * time.Millisecond
)

// ignoreNotFound turns session.ErrNotFound into nil.
func ignoreNotFound(err error) error {
	if errors.Is(err, session.ErrNotFound) {
		return nil
	}
	return err
}

// plannedCommit is a commit about to be made.
type plannedCommit struct {
	message string
	auto    *githead.AutoCommit
}

// planCommit plans the commit and stores the choice for it; job is nil if there is nothing to
// commit, or if the commit has to wait.
func planCommit(ctx context.Context, a *sessionstate.Env, sid id.SessionID, again retry) (job *plannedCommit, err error) {
	err = a.UpdateSession(ctx, sid, func(o *sessionstate.LockedSession) error {
		noteWaiting(o)
		if o.Engine.AutoCommit.Refused && again == retryUnlessRefused {
			return nil
		}
		o.Engine.AutoCommit.LeftOut, o.Engine.AutoCommit.Refused = nil, false
		if o.Engine.AutoCommit.WaitReason = notNow(ctx, a); o.Engine.AutoCommit.WaitReason != "" {
			return nil
		}
		snap, st, err := snapshotWithStatus(ctx, a)
		if err != nil {
			return err
		}
		if snap.Head.IsZero() {
			o.Engine.AutoCommit.WaitReason = "the branch has no commit yet: the first one is yours"
			return nil
		}
		if hasConflicts(st) {
			o.Engine.AutoCommit.WaitReason = "a merge left conflicts in the index"
			return nil
		}
		if err := condense.FollowHead(ctx, a, o, snap); err != nil {
			return err
		}
		job, err = planFiles(ctx, a, o, snap, st)
		return err
	})
	return job, err
}

// noteWaiting remembers where the conversation was when the first turn with uncommitted work
// began.
func noteWaiting(o *sessionstate.LockedSession) {
	if len(o.State.FilesTouched) == 0 {
		o.Engine.AutoCommit.Since = nil
	} else if o.Engine.AutoCommit.Since == nil {
		began := o.Engine.TurnStart.ConversationMark
		o.Engine.AutoCommit.Since = &began
	}
}

// notNow returns why no commit can be made now, "" if one can.
func notNow(ctx context.Context, a *sessionstate.Env) string {
	for name, what := range map[string]string{
		"MERGE_HEAD": "a merge", "CHERRY_PICK_HEAD": "a cherry-pick", "REVERT_HEAD": "a revert", "BISECT_LOG": "a bisection",
		"rebase-merge": "a rebase", "rebase-apply": "a rebase", "sequencer": "a sequence of picks",
	} {
		if sessionstate.PathExists(filepath.Join(a.Repo.GitDir, name)) || a.Repo.RefFile(ctx, name) != nil {
			return what + " is in progress"
		}
	}
	for range lockTries {
		if !a.Repo.IndexLocked() {
			return ""
		}
		if durable.Pause(ctx, lockPause) != nil {
			break
		}
	}
	return "another git was at work on the index"
}

func hasConflicts(st *git.Status) bool {
	return slices.ContainsFunc(st.Entries, func(e git.StatusEntry) bool { return e.Unmerged })
}

// snapshotWithStatus returns a snapshot and the status that it was made from.
func snapshotWithStatus(ctx context.Context, a *sessionstate.Env) (*worktree.Snapshot, *git.Status, error) {
	st, err := a.Repo.Status(ctx)
	if err != nil {
		return nil, nil, err
	}
	snap, err := worktree.TakeSnapshot(ctx, a, st)
	return snap, st, err
}

// planFiles plans each of the session's files, and drops from the state the files that are as in
// HEAD again.
func planFiles(ctx context.Context, a *sessionstate.Env, o *sessionstate.LockedSession, snap *worktree.Snapshot, st *git.Status) (*plannedCommit, error) {
	turns, err := fileTurns(ctx, a, o, snap, st)
	if err != nil {
		return nil, err
	}
	auto := &githead.AutoCommit{Parent: snap.Head}
	uncommitted := map[string]bool{}
	for _, f := range turns {
		p, err := f.plan(func(base, ours, theirs git.OID, favour git.Favour) (git.OID, bool, error) {
			return a.Repo.MergeBlobs(ctx, base, ours, theirs, favour)
		})
		switch {
		case err != nil:
			return nil, fmt.Errorf("plan the commit of %s: %w", f.path, err)
		case p.held != "":
			o.Engine.AutoCommit.LeftOut = append(o.Engine.AutoCommit.LeftOut, sessionstate.KeptFile{Path: f.path, Why: p.held})
			uncommitted[sessionstate.EncodePath(f.path)] = true
		case !p.same:
			auto.Files = append(auto.Files, githead.AutoFile{Path: sessionstate.EncodePath(f.path), Commit: p.commit, Staged: f.index, Index: p.index})
			uncommitted[sessionstate.EncodePath(f.path)] = true
		}
	}
	if len(evidence.Evidence(ctx, a).StashTrees()) == 0 { // a stash may bring back a file that is as in HEAD
		o.State.FilesTouched = slices.DeleteFunc(o.State.FilesTouched, func(p string) bool { return !uncommitted[p] })
		condense.PruneBefore(o)
	}
	if len(auto.Files) == 0 {
		return nil, nil
	}
	auto.Edits = commitEdits(auto, st)
	return prepareCommit(ctx, a, o, auto)
}

// commitEdits returns the edits that lead from the user's index to the commit's tree. Other files
// that the user has staged are as in HEAD there.
func commitEdits(auto *githead.AutoCommit, st *git.Status) []git.Edit {
	var edits []git.Edit
	own := map[string]bool{}
	for _, f := range auto.Files {
		path := sessionstate.DecodePath(f.Path)
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
func fileTurns(ctx context.Context, a *sessionstate.Env, o *sessionstate.LockedSession, snap *worktree.Snapshot, st *git.Status) ([]sessionFile, error) {
	last, err := lastStep(ctx, a, o)
	if err != nil {
		return nil, err
	}
	var inStep sessionstate.PathVersions // empty if the step is on another commit: the file on disk counts then
	if last.Info.Base == snap.Head {
		if inStep, err = evidence.ChangesOnTop(ctx, a, snap.Head, last.Tree); err != nil {
			return nil, err
		}
	}
	entries := map[string]git.StatusEntry{}
	for _, e := range worktree.MergeEntries(st.Entries) {
		entries[e.Path] = e
	}
	var out []sessionFile
	for _, p := range sessionstate.DecodePaths(o.State.FilesTouched) {
		e, differs := entries[p]
		now, onDisk := worktree.Find(snap.Files, p)
		if !differs || !onDisk {
			continue // nothing to commit
		}
		f := sessionFile{path: p, head: link.NewFileVersion(e.HeadMode, e.HeadOID), index: link.NewFileVersion(e.IndexMode, e.IndexOID), after: sessionstate.FileVersion{Mode: now.Mode, OID: now.OID}}
		if was, ok := worktree.Find(inStep, p); ok {
			f.after = sessionstate.FileVersion{Mode: was.Mode, OID: was.OID}
		}
		f.before, f.beforeKnown = o.Engine.AutoCommit.Before[sessionstate.EncodePath(p)]
		out = append(out, f)
	}
	return out, nil
}

// lastStep returns the session's last step; its Base is zero if there is none.
func lastStep(ctx context.Context, a *sessionstate.Env, o *sessionstate.LockedSession) (step.Step, error) {
	if o.Engine.LastStep.IsZero() {
		return step.Step{}, nil
	}
	tip, ok, err := a.Repo.Reader(ctx).CommitOf(o.Engine.LastStep.String())
	if err != nil || !ok {
		return step.Step{}, err
	}
	return step.Step{Commit: tip, Info: shadow.ParseStep(tip.Message)}, nil
}

// prepareCommit chooses the commit's message and stores the choice by which the commit is linked.
func prepareCommit(ctx context.Context, a *sessionstate.Env, o *sessionstate.LockedSession, auto *githead.AutoCommit) (*plannedCommit, error) {
	cp, err := a.NewCheckpointID()
	if err != nil {
		return nil, err
	}
	last, err := lastStep(ctx, a, o)
	if err != nil {
		return nil, err
	}
	subject := trailer.StepSubject(sessionstate.LastString(a.TurnPrompts(o)), o.State.AgentType)
	if step.IsListed(last) {
		subject = last.Info.Subject
		describeTask(auto, o, last.Info)
	}
	if o.Engine.AutoCommit.Subject != "" {
		subject = trailer.StepSubject(o.Engine.AutoCommit.Subject, o.State.AgentType)
	}
	if err := githead.AddChoice(a, githead.LinkChoice{Checkpoint: cp, Sessions: []id.SessionID{o.ID}, Auto: auto}); err != nil {
		return nil, err
	}
	return &plannedCommit{message: trailer.SafeSubject(subject) + "\n\n" + trailer.Checkpoint + ": " + cp.String() + "\n", auto: auto}, nil
}

// describeTask notes the subagent whose run the commit holds.
func describeTask(auto *githead.AutoCommit, o *sessionstate.LockedSession, info shadow.StepInfo) {
	if info.Kind != shadow.StepTask {
		return
	}
	auto.Task, auto.Title = info.ToolUseID, info.Subject
	if mark := o.Engine.Tasks[info.ToolUseID]; mark != nil {
		auto.Step = mark.Steps
	}
}
