package evidence

import (
	"context"
	"errors"
	"slices"
	"time"

	"entire/checkpoint/records"
	"entire/checkpoint/trailer"
	"entire/internal/git"
	"entire/strategy/githead"
	"entire/strategy/sessionstate"
	"entire/strategy/step"
	"entire/strategy/transcript"
	"entire/strategy/worktree"
)

const (
	// maxUnhooked bounds the commits without our hooks that are examined, and the commits that a
	// session records.
	maxUnhooked = 50
	// UnhookedTime bounds the time for that. After it, a commit that is being examined counts if it
	// changes one of the session's files, and a further commit counts if it was made here.
	UnhookedTime = 300 * time.Millisecond
)

// UnhookedCommits returns the commits with work of the session that were made since its last event
// without our hooks: by a program that runs none, or with core.hooksPath set. They lie below
// HEAD, or HEAD has left them; seen is a commit whose hook runs. If in doubt it includes a
// commit: one too many makes a person's lines unknown, one too few gives an agent's lines to a
// person.
func UnhookedCommits(ctx context.Context, s *sessionstate.Env, o *sessionstate.LockedSession, to, seen git.OID, late func() bool) ([]sessionstate.UnlinkedCommit, error) {
	from := step.BaseOf(o)
	if from.IsZero() || to.IsZero() || len(o.State.FilesTouched) == 0 && !step.InTurn(o) {
		return nil, nil
	}
	reflog := githead.ReflogSince(ctx, s, o.Engine.ReflogSize)
	entries := git.ParseReflog(reflog)
	made := madeBy(entries, isCommitOrPatch)
	// If HEAD was only committed to, a commit that the reflog lacks was made here by a program
	// without a reflog, or with its own.
	allHere := o.Engine.ReflogSize > 0 && githead.ReflogSize(ctx, s) >= o.Engine.ReflogSize && !movedHead(reflog)
	commits, err := commitsSinceEvent(ctx, s, from, to, withoutRemade(made, entries))
	if err == nil {
		commits, err = unlinkedOf(ctx, s, commits, seen, made)
	}
	if err != nil || len(commits) == 0 {
		return nil, err
	}
	own, err := ReadWork(ctx, s, o.ID)
	if err != nil {
		return nil, err
	}
	var out []sessionstate.UnlinkedCommit
	ev := Evidence(ctx, s)
	if len(ev.StepsOn(from)) == 0 { // the steps have moved further than the session
		own.Base = to
		if err := addLastStepFiles(ctx, s, o, from, &own); err != nil {
			return nil, err
		}
	}
	for _, c := range commits {
		files, err := countFiles(ctx, s, c, own, ev, allHere || slices.Contains(made, c.OID), late)
		if err != nil {
			return nil, err
		}
		if files > 0 {
			out = append(out, sessionstate.UnlinkedCommit{Commit: c.OID, Files: files, Amended: hasTrailer(c)})
		}
	}
	return out, nil
}

func hasTrailer(c git.Commit) bool { return len(trailer.ParseCheckpointTrailers(c.Message)) > 0 }

// unlinkedOf returns those of the commits that no stored link names. It leaves out the commit seen, those that were
// recorded as missed, and those with a trailer that are not in made.
func unlinkedOf(ctx context.Context, s *sessionstate.Env, commits []git.Commit, seen git.OID, made []git.OID) ([]git.Commit, error) {
	commits = slices.DeleteFunc(commits, func(c git.Commit) bool {
		return c.OID == seen || s.Missed[c.OID] || hasTrailer(c) && !slices.Contains(made, c.OID)
	})
	if len(commits) == 0 {
		return nil, nil
	}
	links, err := records.NewReader(s.Repo).Links(ctx)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(commits, func(c git.Commit) bool { return len(links[c.OID]) > 0 }), nil
}

// countFiles counts the files with the session's work in a commit. In a commit that was made elsewhere, only the
// identical version of a file proves that. If it is late, a commit that was made here counts as one file.
func countFiles(ctx context.Context, s *sessionstate.Env, c git.Commit, own transcript.SessionWork, ev githead.VersionComparer, madeHere bool, late func() bool) (int, error) {
	if late() {
		if madeHere {
			return 1, nil
		}
		return 0, nil
	}
	if !madeHere {
		return countIdentical(ctx, s, c, own, late)
	}
	cm, err := NewCommit(ctx, s, c, nil)
	if err != nil {
		return 0, err
	}
	if err := AddTurnStart(ctx, s, &own, cm.Changes); err != nil {
		return 0, err
	}
	return countFound(own, cm.Changes, ev, late), nil
}

// countIdentical counts the files that have, in a commit, the version of the session's last step.
func countIdentical(ctx context.Context, s *sessionstate.Env, c git.Commit, w transcript.SessionWork, late func() bool) (files int, err error) {
	var below git.OID
	if len(c.Parents) > 0 {
		if below, err = worktree.HeadTree(ctx, s, c.Parents[0]); errors.Is(err, git.ErrMissing) {
			return 0, nil
		} else if err != nil {
			return 0, err
		}
	}
	rd := s.Repo.Reader(ctx)
	for path, left := range w.AtLastStep {
		if left.Mode == 0 || late() {
			continue
		}
		is, _, err := rd.Path(c.Tree, path)
		if err != nil {
			return files, err
		}
		if is.OID != left.OID {
			continue
		}
		if !below.IsZero() {
			was, _, err := rd.Path(below, path)
			if err != nil {
				return files, err
			}
			if was.OID == is.OID {
				continue
			}
		}
		files++
	}
	return files, nil
}

// addLastStepFiles adds the files of the session's last step that differ from base.
func addLastStepFiles(ctx context.Context, s *sessionstate.Env, o *sessionstate.LockedSession, base git.OID, w *transcript.SessionWork) error {
	if o.Engine.LastStep.IsZero() {
		return nil
	}
	tip, ok, err := s.Repo.Reader(ctx).CommitOf(o.Engine.LastStep.String())
	if err != nil || !ok {
		return err
	}
	files, err := ChangesOnTop(ctx, s, base, tip.Tree)
	if err != nil {
		return err
	}
	for p := range w.Touched {
		if f, ok := worktree.Find(files, p); ok {
			w.AtLastStep[p] = f
		}
	}
	return nil
}

// countFound counts the files of a commit that may hold work of the session. It returns 0 if, in
// the time it has, it finds no such work.
func countFound(w transcript.SessionWork, changes []git.Change, ver githead.VersionComparer, late func() bool) (files int) {
	steps := w // a person's version in place of a step's is not the session's work
	steps.Matching = githead.MatchUnlessMerged
	found, over := false, false
	for i, c := range changes {
		touched := w.Touched[c.Path] || w.Active && w.Edited[c.Path]
		if touched {
			files++
		}
		if i%16 == 0 {
			over = late()
		}
		switch {
		case found:
		case over:
			found = touched
		default:
			one := changes[i : i+1]
			found = owns(steps, one, []transcript.SessionWork{w}, ver) || w.Active && (provenByTranscript(w, one) || !w.HasToolCalls && !(w.TranscriptReadable && w.ToolCallsComplete) && changedInTurn(w, one))
		}
	}
	if !found {
		return 0
	}
	return max(files, 1)
}

// commitsSinceEvent returns the commits of HEAD that the session's base does not have, and those that
// were made here since its last event, each once.
func commitsSinceEvent(ctx context.Context, s *sessionstate.Env, from, to git.OID, made []git.OID) ([]git.Commit, error) {
	var out []git.Commit
	if from != to {
		var err error
		if out, err = CommitsBetween(ctx, s, from, to); err != nil {
			return nil, err
		}
	}
	known := map[git.OID]bool{}
	for _, c := range out {
		known[c.OID] = true
	}
	var specs []string
	for _, oid := range made {
		if !known[oid] && len(specs) < maxUnhooked {
			known[oid] = true
			specs = append(specs, oid.String())
		}
	}
	left, err := CommitsOf(ctx, s, specs)
	return append(out, left...), err
}

// NoteUnhooked records the commits that UnhookedCommits finds and reports whether one of them has no trailer.
func NoteUnhooked(ctx context.Context, s *sessionstate.Env, o *sessionstate.LockedSession, to, seen git.OID) bool {
	size := githead.ReflogSize(ctx, s)
	commits, err := UnhookedCommits(ctx, s, o, to, seen, DeadlineIn(s, UnhookedTime))
	if err != nil {
		s.Log.Warn("commits that hooks did not see were not looked at", "session_id", o.ID.String(), "err", err)
	} else {
		o.Engine.ReflogSize = size
	}
	without := false
	for _, c := range slices.Backward(commits) {
		RecordUnlinked(s, o, c)
		without = without || !c.Amended
	}
	return without
}

// CommitsBetween returns the first-parent history of to, beginning with to, down to the first commit
// that from also has; the newest maxUnhooked if from is zero.
func CommitsBetween(ctx context.Context, s *sessionstate.Env, from, to git.OID) ([]git.Commit, error) {
	var had []git.Commit
	if !from.IsZero() {
		var err error
		if had, err = CommitsOf(ctx, s, githead.AncestorSpecs(from.String(), MaxHistory)); err != nil || len(had) == 0 {
			return nil, err
		}
	}
	commits, err := CommitsOf(ctx, s, githead.AncestorSpecs(to.String(), maxUnhooked))
	if err != nil {
		return nil, err
	}
	known := func(c git.Commit) bool {
		return slices.ContainsFunc(had, func(h git.Commit) bool { return h.OID == c.OID })
	}
	if n := slices.IndexFunc(commits, known); n >= 0 {
		return commits[:n], nil
	}
	return commits, nil
}

// CommitsOf reads the commits that exist.
func CommitsOf(ctx context.Context, s *sessionstate.Env, specs []string) ([]git.Commit, error) {
	objs, err := s.Repo.Reader(ctx).Objects(specs...)
	if err != nil {
		return nil, err
	}
	var out []git.Commit
	for _, o := range objs {
		if o.Type != "commit" {
			continue
		}
		c, err := git.ParseCommit(o.OID, o.Data)
		if err != nil {
			return nil, err
		}
		out = append(out, c)
	}
	return out, nil
}

// DeadlineIn returns a function that reports whether the duration d is over.
func DeadlineIn(s *sessionstate.Env, d time.Duration) (late func() bool) {
	end := s.Now().Add(d)
	return func() bool { return s.Now().After(end) }
}
