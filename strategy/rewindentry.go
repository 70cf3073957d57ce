package strategy

import (
	"context"
	"errors"
	"slices"

	"entire/checkpoint"
	"entire/id"
	"entire/internal/git"
)

// newEntry returns the log entry of a rewind that begins. The caller holds the rewind lock.
func (s *ManualCommitStrategy) newEntry(ctx context.Context, plan *RewindPlan) (*RewindEntry, error) {
	log, err := s.readRewindLog()
	if err != nil {
		return nil, err
	}
	name, err := id.Generate()
	if err != nil {
		return nil, err
	}
	e := &RewindEntry{ID: name.String(), At: s.Now(), Kind: plan.Kind, Scope: plan.Scope, Session: plan.sid.String(),
		Point: plan.step.OID.String(), Of: plan.Entry, Exact: true}
	if e.Seq, err = s.nextSeq(ctx, log); err != nil {
		return nil, err
	}
	if plan.sid.IsZero() || plan.Scope.SkipTalk {
		return e, nil
	}
	o, err := s.openSession(ctx, plan.sid)
	if err != nil {
		return nil, err
	}
	if !o.isNew {
		e.TalkBefore, err = s.talkMark(ctx, o)
		plan.author = s.author(ctx, o)
	}
	return e, errors.Join(err, o.close())
}

// nextSeq returns a number that neither the log nor a ref has.
func (s *ManualCommitStrategy) nextSeq(ctx context.Context, log []RewindEntry) (int, error) {
	n := 1
	for _, e := range log {
		n = max(n, e.Seq+1)
	}
	for ; ; n++ {
		if _, taken, err := s.repo.Reader(ctx).CommitOf(s.undoRef(n)); err != nil || !taken {
			return n, err
		}
	}
}

// pinOf returns the ref that will keep the rewind's steps, "" for a journal of an older version.
func (s *ManualCommitStrategy) pinOf(j *journal) string {
	if j.Entry == nil {
		return ""
	}
	return s.undoRef(j.Entry.Seq)
}

// closeEntry writes the entry into the log after both steps of the rewind are kept by a ref.
func (s *ManualCommitStrategy) closeEntry(ctx context.Context, j *journal, w writtenStep, out *RewindOutcome) error {
	e := j.Entry
	if e == nil {
		return nil
	}
	rd := s.repo.Reader(ctx)
	before, err := rd.Commit(j.Safety)
	if err != nil {
		return err
	}
	if err := s.keepBoth(ctx, s.pinOf(j), before, w); err != nil {
		return err
	}
	changes, err := s.codeDiff(ctx, before.Tree, w.tree)
	if err != nil {
		return err
	}
	ours := map[string]bool{}
	for _, c := range j.Changes {
		ours[c.path()] = true
	}
	for _, k := range out.Kept { // these files were not as planned
		delete(ours, k.Path)
	}
	e.After = w.commit.String()
	for _, c := range changes {
		if !ours[c.Path] {
			e.Beside = append(e.Beside, pathText(c.Path))
		}
	}
	e.Files = len(changes) - len(e.Beside)
	return s.logRewind(*e)
}

// keepBoth makes sure that a ref reaches both steps of a rewind. The step after the rewind is based
// on the step before it, unless HEAD moved in between.
func (s *ManualCommitStrategy) keepBoth(ctx context.Context, pin string, before git.Commit, w writtenStep) error {
	kept, pinned, err := s.repo.Reader(ctx).CommitOf(pin)
	if err != nil {
		return err
	}
	if pinned {
		if kept.OID != w.commit { // a merge of both, made before a crash
			return nil
		}
		if below, err := s.isBelow(ctx, before.OID, kept); err != nil || below {
			return err
		}
	}
	both, err := s.repo.Writer().Commit(git.Commit{Tree: w.tree, Parents: []git.OID{w.commit, before.OID}, Author: before.Author, Committer: before.Committer,
		Message: "rewind\n"})
	if err != nil {
		return err
	}
	return s.repo.UpdateRefs(ctx, []git.RefUpdate{{Name: pin, New: both, Old: kept.OID}})
}

// what names the rewind in messages and in the subjects of its steps.
func (p *RewindPlan) what() string {
	return rewindText(p.Kind, p.Entry, p.step.OID)
}

func (j *journal) what() string {
	if j.Entry == nil {
		return rewindText(RewindDone, "", j.Point)
	}
	return rewindText(j.Entry.Kind, j.Entry.Of, j.Point)
}

func rewindText(kind RewindKind, of string, to git.OID) string {
	switch kind {
	case RewindUndo:
		return "undo of rewind " + of
	case RewindRedo:
		return "redo of rewind " + of
	}
	return "rewind to " + to.Short()
}

func (j *journal) why() string {
	if j.Entry != nil {
		switch j.Entry.Kind {
		case RewindUndo:
			return checkpoint.WhyUndo
		case RewindRedo:
			return checkpoint.WhyRedo
		}
	}
	return checkpoint.WhyRewind
}

// stateOf returns the step that the session's state and conversation follow.
func (j *journal) stateOf() git.OID {
	if !j.State.IsZero() {
		return j.State
	}
	return j.Point
}

func (j *journal) scope() Scope {
	if j.Entry == nil {
		return Scope{}
	}
	return j.Entry.Scope
}

func (p *RewindPlan) conflicting() []string {
	var out []string
	for _, c := range p.Conflicts {
		out = append(out, pathText(c.Path))
	}
	return out
}

// replaced returns the files that were written or removed and that had later changes by a person.
func (p *RewindPlan) replaced(out *RewindOutcome) []string {
	done := setOf(append(slices.Clone(out.Written), out.Removed...))
	var list []string
	for _, c := range p.Changes {
		byPerson := slices.ContainsFunc(c.Undoes, func(u Undone) bool { return u.Who == whoPerson || u.Who == whoMixed })
		if done[c.Path] && byPerson {
			list = append(list, c.Path)
		}
	}
	return list
}
