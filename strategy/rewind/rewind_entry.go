package rewind

import (
	"context"
	"errors"
	"slices"

	"entire/checkpoint/shadow"
	"entire/id"
	"entire/internal/git"
	"entire/strategy/condense"
	"entire/strategy/restore"
	"entire/strategy/sessionstate"
	"entire/strategy/step"
	"entire/strategy/transcript"
	"entire/strategy/worktree"
)

// NewEntry returns the log entry of a rewind that begins, which has no number yet. The caller holds
// the rewind lock.
func NewEntry(ctx context.Context, s *sessionstate.Env, plan *Plan) (*condense.RewindEntry, error) {
	if _, err := condense.ReadRewindLog(s); err != nil { // before the rewind changes anything
		return nil, err
	}
	name, err := id.Generate()
	if err != nil {
		return nil, err
	}
	e := &condense.RewindEntry{ID: name.String(), At: s.Now(), Kind: plan.Kind, Scope: plan.Scope, Session: plan.session.String(),
		Point: plan.step.OID.String(), RewindID: plan.Entry, Exact: true}
	if plan.session.IsZero() || plan.Scope.SkipConversation {
		return e, nil
	}
	o, err := s.OpenSession(ctx, plan.session)
	if err != nil {
		return nil, err
	}
	if !o.IsNew {
		e.ConversationBefore, err = transcript.MarkConversation(ctx, s, o)
		plan.author = s.AuthorOf(ctx, o)
	}
	return e, errors.Join(err, o.Close())
}

// undoRefOf returns the ref that will keep the rewind's steps, "" for a journal of an older version.
func undoRefOf(s *sessionstate.Env, j *restore.RewindJournal) string {
	if j.Entry == nil {
		return ""
	}
	return condense.UndoRef(s, j.Entry.Seq)
}

// recordEntry writes the entry into the log after both steps of the rewind are kept by a ref.
func recordEntry(ctx context.Context, s *sessionstate.Env, j *restore.RewindJournal, w step.WrittenStep, out *restore.RewindOutcome) error {
	e := j.Entry
	if e == nil {
		return nil
	}
	rd := s.Repo.Reader(ctx)
	before, err := rd.Commit(j.Safety)
	if err != nil {
		return err
	}
	if err := pinSteps(ctx, s, undoRefOf(s, j), before, w); err != nil {
		return err
	}
	changes, err := step.CodeDiff(ctx, s, before.Tree, w.Tree)
	if err != nil {
		return err
	}
	ours := map[string]bool{}
	for _, c := range j.Changes {
		ours[c.Text()] = true
	}
	for _, k := range out.Kept { // these files were not as planned
		delete(ours, k.Path)
	}
	e.After = w.Commit.String()
	for _, c := range changes {
		if !ours[c.Path] {
			e.Concurrent = append(e.Concurrent, sessionstate.EncodePath(c.Path))
		}
	}
	e.Files = len(changes) - len(e.Concurrent)
	return condense.AppendRewindEntry(ctx, s, *e)
}

// pinSteps makes sure that a ref reaches both steps of a rewind. The step after the rewind is based
// on the step before it, unless HEAD moved in between.
func pinSteps(ctx context.Context, s *sessionstate.Env, pin string, before git.Commit, w step.WrittenStep) error {
	kept, pinned, err := s.Repo.Reader(ctx).CommitOf(pin)
	if err != nil {
		return err
	}
	if pinned {
		if kept.OID != w.Commit { // a merge of both, made before a crash
			return nil
		}
		if below, err := condense.IsAncestor(ctx, s, before.OID, kept); err != nil || below {
			return err
		}
	}
	both, err := s.Repo.Writer().Commit(git.Commit{Tree: w.Tree, Parents: []git.OID{w.Commit, before.OID}, Author: before.Author, Committer: before.Committer,
		Message: "rewind\n"})
	if err != nil {
		return err
	}
	return s.Repo.UpdateRefs(ctx, []git.RefUpdate{{Name: pin, New: both, Old: kept.OID}})
}

// description names the rewind in messages and in the subjects of its steps.
func (p *Plan) description() string {
	if p.Scope.Kind == condense.ScopeFiles {
		return filesText
	}
	return rewindText(p.Kind, p.Entry, p.step.OID)
}

// filesText names a rewind that gave files contents from elsewhere.
const filesText = "rescue of files"

func description(j *restore.RewindJournal) string {
	if scope(j).Kind == condense.ScopeFiles {
		return filesText
	}
	if j.Entry == nil {
		return rewindText(condense.RewindDone, "", j.Point)
	}
	return rewindText(j.Entry.Kind, j.Entry.RewindID, j.Point)
}

func rewindText(kind condense.RewindKind, of string, to git.OID) string {
	switch kind {
	case condense.RewindUndo:
		return "undo of rewind " + of
	case condense.RewindRedo:
		return "redo of rewind " + of
	}
	return "rewind to " + to.Short()
}

func reason(j *restore.RewindJournal) string {
	if j.Entry != nil {
		switch j.Entry.Kind {
		case condense.RewindUndo:
			return shadow.WhyUndo
		case condense.RewindRedo:
			return shadow.WhyRedo
		}
	}
	return shadow.WhyRewind
}

// followedStep returns the step that the session's state and conversation follow.
func followedStep(j *restore.RewindJournal) git.OID {
	if !j.State.IsZero() {
		return j.State
	}
	return j.Point
}

func scope(j *restore.RewindJournal) condense.Scope {
	if j.Entry == nil {
		return condense.Scope{}
	}
	return j.Entry.Scope
}

func (p *Plan) conflictPaths() []string {
	var out []string
	for _, c := range p.Conflicts {
		out = append(out, sessionstate.EncodePath(c.Path))
	}
	return out
}

// replacedFiles returns the files that were written or removed and that had later changes by a person.
func (p *Plan) replacedFiles(out *restore.RewindOutcome) []string {
	done := worktree.SetOf(append(slices.Clone(out.Written), out.Removed...))
	var list []string
	for _, c := range p.Changes {
		byPerson := slices.ContainsFunc(c.Undoes, func(u restore.UndoneChange) bool { return u.Who == WhoPerson || u.Who == whoMixed })
		if done[c.Path] && byPerson {
			list = append(list, c.Path)
		}
	}
	return list
}

// Log lists this worktree's rewinds, newest first.
func Log(ctx context.Context, s *sessionstate.Env) ([]condense.RewindEntry, error) {
	log, err := condense.ReadRewindLog(s)
	if err != nil {
		return nil, err
	}
	for i := range log {
		_, kept, err := s.Repo.Reader(ctx).CommitOf(condense.UndoRef(s, log[i].Seq))
		if err != nil {
			return nil, err
		}
		log[i].Gone = !kept
	}
	undoHistory(log)
	slices.Reverse(log)
	return log, nil
}

// doneRewind is a rewind, and the last entry that did, undid or redid it.
type doneRewind struct {
	root, last condense.RewindEntry
}

// undoHistory returns which rewinds can be undone and which redone, the next one last. As in an editor,
// a new rewind clears those that can be redone. undoHistory also sets UndoneBy.
func undoHistory(log []condense.RewindEntry) (undo, redo []doneRewind) {
	at := map[string]int{}
	last := map[string]int{} // the last entry that did, undid or redid a rewind
	for i := range log {
		e := &log[i]
		at[e.ID] = i
		e.UndoneBy = ""
		root, known := at[e.RewindID]
		switch e.Kind {
		case condense.RewindUndo, condense.RewindRedo:
			if !known {
				continue
			}
			from, to := &undo, &redo
			if e.Kind == condense.RewindRedo {
				from, to = to, from
			}
			if before, again := last[e.RewindID]; again {
				log[before].UndoneBy = e.ID
			}
			last[e.RewindID] = i
			log[root].UndoneBy = ""
			if e.Kind == condense.RewindUndo {
				log[root].UndoneBy = e.ID
			}
			*from = slices.DeleteFunc(*from, func(d doneRewind) bool { return d.root.ID == e.RewindID })
			*to = append(*to, doneRewind{log[root], *e})
		case condense.RewindDropped: // a dropped entry clears nothing
		default:
			undo, redo = append(undo, doneRewind{*e, *e}), nil
		}
	}
	return undo, redo
}
