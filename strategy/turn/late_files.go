package turn

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"entire/internal/git"
	"entire/strategy/condense"
	"entire/strategy/evidence"
	"entire/strategy/rewind"
	"entire/strategy/sessionstate"
	"entire/strategy/transcript"
	"entire/strategy/worktree"
)

// snapshotInTime takes a snapshot for an event: files that cannot be read in time are left out and noted as
// late.
func snapshotInTime(ctx context.Context, s *sessionstate.Env) (*worktree.Snapshot, error) {
	reading, cancel := condense.WithReadLimit(ctx, s, s.ReadWithin)
	defer cancel()
	return rewind.SnapshotUntil(s, ctx, reading)
}

// noteLate records the files that a snapshot left out for lack of time. people states that they
// changed before the turn began.
func noteLate(o *sessionstate.LockedSession, snap *worktree.Snapshot, people bool) {
	if snap.Late.Count == 0 {
		return
	}
	late := snap.Late
	late.BeforeTurn = people
	if n := len(o.Engine.LateFiles); n > 0 && o.Engine.LateFiles[n-1].BeforeTurn == people {
		o.Engine.LateFiles = o.Engine.LateFiles[:n-1]
	}
	o.Engine.LateFiles = append(o.Engine.LateFiles, late)
}

// catchUp moves the session to HEAD and saves what earlier events had no time for: late files, as
// steps of their authors, and the end of the transcript.
func catchUp(ctx context.Context, s *sessionstate.Env, o *sessionstate.LockedSession, snap *worktree.Snapshot) error {
	if err := condense.FollowHead(ctx, s, o, snap); err != nil {
		return err
	}
	for _, late := range o.Engine.LateFiles {
		if err := saveLate(ctx, s, o, snap, late); err != nil {
			return fmt.Errorf("save the files that were late: %w", err)
		}
	}
	if snap.Late.Count == 0 {
		o.Engine.LateFiles = nil
	}
	return finishTranscript(ctx, s, o)
}

// saveLate makes a step of the late files, as the snapshot has them.
func saveLate(ctx context.Context, s *sessionstate.Env, o *sessionstate.LockedSession, snap *worktree.Snapshot, late sessionstate.LateFiles) error {
	part, err := changedUntil(ctx, s, snap, late.Until)
	if err != nil || part == nil {
		return err
	}
	if !late.BeforeTurn {
		return writeAgentStep(ctx, s, o, part)
	}
	step, err := humanStep(ctx, s, o, part)
	if err != nil {
		return err
	}
	o.Engine.TurnStart.Head, o.Engine.TurnStart.Step, o.Engine.TurnStart.Digest = snap.Head, step, worktree.Digest(part.Files)
	return nil
}

// changedUntil returns a snapshot with only those of the files that differ from the newest step which did not change
// after a moment; nil if there are none.
func changedUntil(ctx context.Context, s *sessionstate.Env, snap *worktree.Snapshot, moment int64) (*worktree.Snapshot, error) {
	last, err := evidence.StepFiles(ctx, s, snap.Head, git.OID{})
	if err != nil {
		return nil, err
	}
	saved := map[string]sessionstate.PathVersion{}
	for _, f := range snap.Files {
		if was, _ := worktree.Find(last, f.Path); was != f && !changedAfter(s, f.Path, snap, moment) {
			saved[f.Path] = f
		}
	}
	if len(saved) == 0 {
		return nil, nil
	}
	part := *snap
	part.Late = sessionstate.LateFiles{}
	part.Files = slices.DeleteFunc(slices.Clone(last), func(f sessionstate.PathVersion) bool { _, ok := saved[f.Path]; return ok })
	part.Files = worktree.SortVersions(slices.AppendSeq(part.Files, maps.Values(saved)))
	return &part, nil
}

// saveWorked makes a step of the files that an interrupted turn had changed when the agent last reported work: its
// transcript tells that the turn was not over by then. It reports whether nothing else has changed.
func saveWorked(ctx context.Context, s *sessionstate.Env, o *sessionstate.LockedSession, snap *worktree.Snapshot) (whole bool, err error) {
	if err := TryReadTranscript(ctx, s, o); err != nil {
		return false, err
	}
	at := o.LastWork()
	if at.IsZero() {
		return false, nil
	}
	part, err := changedUntil(ctx, s, snap, at.UnixNano())
	if err != nil || part == nil {
		return false, err
	}
	o.AtWork = true
	err = writeAgentStep(ctx, s, o, part)
	o.AtWork = false
	return worktree.Equal(part.Files, snap.Files), err
}

// changedAfter reports whether a file changed after a moment in nanoseconds, or is gone.
func changedAfter(s *sessionstate.Env, path string, snap *worktree.Snapshot, moment int64) bool {
	if st, known := snap.Stats[path]; known {
		return worktree.ChangedAt(st.Key) > moment
	}
	fi, err := os.Lstat(filepath.Join(s.Repo.Top, filepath.FromSlash(path)))
	return err != nil || worktree.ChangedAt(worktree.KeyOf(fi)) > moment
}

// finishTranscript reads the end of a transcript that an earlier hook had no time for.
func finishTranscript(ctx context.Context, s *sessionstate.Env, o *sessionstate.LockedSession) error {
	if !o.Engine.TranscriptLate {
		return nil
	}
	err := condense.ReadTranscript(ctx, s, o)
	if err != nil && !errors.Is(err, transcript.ErrTranscript) {
		return err
	}
	if c := &o.Engine.Capture; c.DocumentSum == "" && c.Conversation != nil && len(c.Log.Entries()) > 0 {
		return transcript.KeepBacklog(ctx, s, o)()
	}
	return nil
}

// Problem is something that was not captured, not linked or not finished.
type Problem struct {
	Kind    string `json:"kind"` // not-captured, not-linked, set-aside, not-finished, unreadable
	Subject string `json:"subject"`
	Why     string `json:"why"`
	Hint    string `json:"hint,omitempty"`
}

// LateProblems returns what the session still has to save.
func LateProblems(o *sessionstate.LockedSession) []Problem {
	const hint = "the session's next event saves it"
	var out []Problem
	files := 0
	for _, l := range o.Engine.LateFiles {
		files = max(files, l.Count)
	}
	if files > 0 {
		out = append(out, Problem{Kind: "not-captured", Subject: worktree.Counted(files, "file"), Why: "a hook had no time to read them", Hint: hint})
	}
	if o.Engine.TranscriptLate {
		out = append(out, Problem{Kind: "not-captured", Subject: o.ID.Short(), Why: "a hook had no time to read the end of its conversation", Hint: hint})
	}
	return out
}

// hasLate reports whether catchUp has anything to save, from any turn.
func hasLate(o *sessionstate.LockedSession) bool {
	return len(o.Engine.LateFiles) > 0 || o.Engine.TranscriptLate
}
