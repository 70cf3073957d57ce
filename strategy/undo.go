package strategy

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"entire/checkpoint"
	"entire/id"
	"entire/internal/git"
)

var (
	// ErrNothingToUndo is returned when no rewind is left to undo, or the named one is already
	// undone.
	ErrNothingToUndo = errors.New("there is no rewind to undo")

	// ErrNothingToRedo is returned when no undone rewind can be done again. After a new rewind,
	// older undone ones cannot.
	ErrNothingToRedo = errors.New("there is no undone rewind to do again")

	// ErrNotKept is returned for an entry of the log that has expired, so that the steps it needs
	// are deleted.
	ErrNotKept = errors.New("what the rewind replaced is no longer kept")
)

// PlanUndo plans to undo a rewind: the newest that is not undone, or the one whose ID in the log
// begins with name. Files that were changed since are merged. It changes nothing.
func (s *ManualCommitStrategy) PlanUndo(ctx context.Context, name string, mode ConflictMode) (*RewindPlan, error) {
	log, undo, redo, err := s.rewindHistory()
	if err != nil {
		return nil, err
	}
	if name == "" {
		if len(undo) == 0 {
			return nil, ErrNothingToUndo
		}
		return s.planBack(ctx, undo[len(undo)-1], RewindUndo, mode)
	}
	e, err := findEntry(log, name)
	if err != nil {
		return nil, err
	}
	switch e.Kind {
	case RewindUndo: // to undo an undo is to do the rewind again
		return s.planOne(ctx, redo, e.Of, RewindRedo, mode, ErrNothingToUndo)
	case RewindRedo:
		return s.planOne(ctx, undo, e.Of, RewindUndo, mode, ErrNothingToUndo)
	case RewindDropped:
		if e.UndoneBy == "" {
			return s.planBack(ctx, doneRewind{e, e}, RewindUndo, mode)
		}
	}
	return s.planOne(ctx, undo, e.ID, RewindUndo, mode, ErrNothingToUndo)
}

// PlanRedo plans to do an undone rewind again: the one undone last, or the one whose ID in the
// log begins with name. It changes nothing.
func (s *ManualCommitStrategy) PlanRedo(ctx context.Context, name string, mode ConflictMode) (*RewindPlan, error) {
	log, _, redo, err := s.rewindHistory()
	if err != nil {
		return nil, err
	}
	if name == "" {
		if len(redo) == 0 {
			return nil, ErrNothingToRedo
		}
		return s.planBack(ctx, redo[len(redo)-1], RewindRedo, mode)
	}
	e, err := findEntry(log, name)
	if err != nil {
		return nil, err
	}
	if e.Of != "" {
		return s.planOne(ctx, redo, e.Of, RewindRedo, mode, ErrNothingToRedo)
	}
	return s.planOne(ctx, redo, e.ID, RewindRedo, mode, ErrNothingToRedo)
}

func (s *ManualCommitStrategy) rewindHistory() (log []RewindEntry, undo, redo []doneRewind, err error) {
	if log, err = s.readRewindLog(); err == nil {
		undo, redo = history(log)
	}
	return log, undo, redo, err
}

func (s *ManualCommitStrategy) planOne(ctx context.Context, list []doneRewind, root string, kind RewindKind, mode ConflictMode, none error) (*RewindPlan, error) {
	i := slices.IndexFunc(list, func(d doneRewind) bool { return d.root.ID == root })
	if i < 0 {
		return nil, fmt.Errorf("%w: %s", none, root)
	}
	return s.planBack(ctx, list[i], kind, mode)
}

// findEntry finds an entry of the log by its ID, the beginning of its ID, or the beginning of
// the ID of its step Before.
func findEntry(log []RewindEntry, name string) (RewindEntry, error) {
	var found []RewindEntry
	for _, e := range log {
		if e.ID == name {
			return e, nil
		}
		if len(name) >= minEntry && strings.HasPrefix(e.ID, name) || len(name) >= minPrefix && strings.HasPrefix(e.Before, name) {
			found = append(found, e)
		}
	}
	switch len(found) {
	case 0:
		return RewindEntry{}, fmt.Errorf("no rewind %s in the log", name)
	case 1:
		return found[0], nil
	}
	return RewindEntry{}, fmt.Errorf("rewind %s is ambiguous", name)
}

// minEntry is the shortest beginning of an entry's ID that finds it.
const minEntry = 4

// planBack plans to reverse the last entry of a rewind.
func (s *ManualCommitStrategy) planBack(ctx context.Context, d doneRewind, kind RewindKind, mode ConflictMode) (*RewindPlan, error) {
	rd := s.repo.Reader(ctx)
	var sides [2]git.Commit
	for i, text := range []string{d.last.Before, d.last.After} {
		c, ok, err := rd.CommitOf(text)
		if err != nil {
			return nil, err
		}
		if !ok {
			return nil, fmt.Errorf("%s: %w", d.last.ID, ErrNotKept)
		}
		sides[i] = c
	}
	before, after := sides[0], sides[1]
	info := checkpoint.ParseStep(before.Message)
	point := RewindPoint{ID: before.OID.String(), Message: before.Subject(), Date: before.Author.When, SessionID: info.RawSession}
	sc := d.root.Scope
	sc.Conflicts = mode
	plan, err := s.planTo(ctx, point, sc)
	if err != nil {
		return nil, err
	}
	plan.Kind, plan.Entry, plan.undoes, plan.talk = kind, d.root.ID, after.OID, &d.last.TalkBefore
	plan.back, plan.exact = d.last.Work, d.last.Exact
	plan.Conversation = !sc.SkipTalk && !plan.talk.IsZero()
	if plan.sid, err = id.ParseSessionID(d.root.Session); err != nil {
		plan.sid = id.SessionID{}
	}
	if d.root.Kind == RewindReset {
		plan.Warnings = append(plan.Warnings, "the branch stays where it is: only the files come back")
	}
	changes, err := s.codeDiff(ctx, before.Tree, after.Tree)
	if err != nil {
		return nil, err
	}
	concurrent := setOf(textPaths(d.last.Beside))
	changes = slices.DeleteFunc(changes, func(c git.Change) bool { return concurrent[c.Path] })
	if err := s.reverting(ctx, plan, changes); err != nil {
		return nil, err
	}
	return plan, s.fill(ctx, plan)
}

// reverting plans to reverse the given changes and merges what was changed since.
func (s *ManualCommitStrategy) reverting(ctx context.Context, plan *RewindPlan, changes []git.Change) error {
	at, err := s.statesAt(ctx, []git.OID{plan.before}, paths(changes), map[git.OID][]git.TreeEntry{})
	if err != nil {
		return err
	}
	plan.merged, plan.undone = map[string]bool{}, map[string][]Undone{}
	var edits []git.Edit
	for i, c := range changes {
		if !plan.Scope.covers(c.Path) {
			continue
		}
		now := fileAt(at[0][i])
		base, theirs := stood{c.NewMode, c.New}, stood{c.OldMode, c.Old}
		var marked stood
		to, ok, err := mergeFiles(base, now, theirs, func(b, o, t git.OID) (git.OID, bool, error) {
			merged, clean, err := s.mergeTexts(ctx, b, o, t, "now", plan.label())
			if !clean && !merged.IsZero() {
				marked = stood{now.Mode, merged}
			}
			return merged, clean, err
		})
		if err != nil {
			return fmt.Errorf("merge %s: %w", pathText(c.Path), err)
		}
		if !ok {
			to = plan.decide(PlanConflict{Path: c.Path, Base: PlanSide(base), Ours: PlanSide(now), Theirs: PlanSide(theirs), Saved: plan.undoes.String()}, now, marked)
		}
		plan.merged[c.Path] = ok && to != theirs
		if to != now {
			edits = append(edits, git.Edit{Path: c.Path, Mode: to.Mode, OID: to.OID})
		}
	}
	if edits, err = s.withoutCollisions(ctx, plan, edits, plan.undoes); err != nil {
		return err
	}
	plan.after, err = s.repo.EditTree(ctx, plan.before, edits)
	return err
}
