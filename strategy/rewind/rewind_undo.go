package rewind

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"entire/checkpoint/shadow"
	"entire/id"
	"entire/internal/git"
	"entire/strategy/condense"
	"entire/strategy/restore"
	"entire/strategy/sessionstate"
	"entire/strategy/step"
	"entire/strategy/worktree"
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
func PlanUndo(ctx context.Context, s *sessionstate.Env, name string, mode condense.ConflictMode) (*Plan, error) {
	log, undo, redo, err := rewindHistory(s)
	if err != nil {
		return nil, err
	}
	if name == "" {
		if len(undo) == 0 {
			return nil, ErrNothingToUndo
		}
		return planInverse(ctx, s, undo[len(undo)-1], condense.RewindUndo, mode)
	}
	e, err := findEntry(log, name)
	if err != nil {
		return nil, err
	}
	switch e.Kind {
	case condense.RewindUndo: // to undo an undo is to do the rewind again
		return planListed(ctx, s, redo, e.RewindID, condense.RewindRedo, mode, ErrNothingToUndo)
	case condense.RewindRedo:
		return planListed(ctx, s, undo, e.RewindID, condense.RewindUndo, mode, ErrNothingToUndo)
	case condense.RewindDropped:
		if e.UndoneBy == "" {
			return planInverse(ctx, s, doneRewind{e, e}, condense.RewindUndo, mode)
		}
	}
	return planListed(ctx, s, undo, e.ID, condense.RewindUndo, mode, ErrNothingToUndo)
}

// PlanRedo plans to do an undone rewind again: the one undone last, or the one whose ID in the
// log begins with name. It changes nothing.
func PlanRedo(ctx context.Context, s *sessionstate.Env, name string, mode condense.ConflictMode) (*Plan, error) {
	log, _, redo, err := rewindHistory(s)
	if err != nil {
		return nil, err
	}
	if name == "" {
		if len(redo) == 0 {
			return nil, ErrNothingToRedo
		}
		return planInverse(ctx, s, redo[len(redo)-1], condense.RewindRedo, mode)
	}
	e, err := findEntry(log, name)
	if err != nil {
		return nil, err
	}
	if e.RewindID != "" {
		return planListed(ctx, s, redo, e.RewindID, condense.RewindRedo, mode, ErrNothingToRedo)
	}
	return planListed(ctx, s, redo, e.ID, condense.RewindRedo, mode, ErrNothingToRedo)
}

// NextBack returns the entries that PlanUndo and PlanRedo take if no name is given, nil for none. It
// reads only the log.
func NextBack(s *sessionstate.Env) (undo, redo *condense.RewindEntry, err error) {
	_, undos, redos, err := rewindHistory(s)
	if k := len(undos) - 1; k >= 0 {
		undo = &undos[k].root
	}
	if k := len(redos) - 1; k >= 0 {
		redo = &redos[k].root
	}
	return undo, redo, err
}

func rewindHistory(s *sessionstate.Env) (log []condense.RewindEntry, undo, redo []doneRewind, err error) {
	if log, err = condense.ReadRewindLog(s); err == nil {
		undo, redo = undoHistory(log)
	}
	return log, undo, redo, err
}

func planListed(ctx context.Context, s *sessionstate.Env, list []doneRewind, root string, kind condense.RewindKind, mode condense.ConflictMode, none error) (*Plan, error) {
	i := slices.IndexFunc(list, func(d doneRewind) bool { return d.root.ID == root })
	if i < 0 {
		return nil, fmt.Errorf("%w: %s", none, root)
	}
	return planInverse(ctx, s, list[i], kind, mode)
}

// findEntry finds an entry of the log by its ID, the beginning of its ID, or the beginning of
// the ID of its step Before.
func findEntry(log []condense.RewindEntry, name string) (condense.RewindEntry, error) {
	var found []condense.RewindEntry
	for _, e := range log {
		if e.ID == name {
			return e, nil
		}
		if len(name) >= minEntry && strings.HasPrefix(e.ID, name) || len(name) >= step.MinPrefix && strings.HasPrefix(e.Before, name) {
			found = append(found, e)
		}
	}
	switch len(found) {
	case 0:
		return condense.RewindEntry{}, fmt.Errorf("no rewind %s in the log", name)
	case 1:
		return found[0], nil
	}
	return condense.RewindEntry{}, fmt.Errorf("rewind %s is ambiguous", name)
}

// minEntry is the shortest beginning of an entry's ID that finds it.
const minEntry = 4

// planInverse plans to reverse the last entry of a rewind.
func planInverse(ctx context.Context, s *sessionstate.Env, d doneRewind, kind condense.RewindKind, mode condense.ConflictMode) (*Plan, error) {
	rd := s.Repo.Reader(ctx)
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
	info := shadow.ParseStep(before.Message)
	point := step.RewindPoint{ID: before.OID.String(), Message: before.Subject(), Date: before.Author.When, SessionID: info.RawSession}
	sc := d.root.Scope
	sc.Conflicts = mode
	plan, err := newRewindPlan(ctx, s, point, sc)
	if err != nil {
		return nil, err
	}
	plan.Kind, plan.Entry, plan.undoes, plan.conversationMark = kind, d.root.ID, after.OID, &d.last.ConversationBefore
	plan.returnedWork, plan.exact = d.last.Work, d.last.Exact
	plan.Conversation = !sc.SkipConversation && !plan.conversationMark.IsZero()
	if plan.session, err = id.ParseSessionID(d.root.Session); err != nil {
		plan.session = id.SessionID{}
	}
	if d.root.Kind == condense.RewindReset {
		plan.Warnings = append(plan.Warnings, "the branch stays where it is: only the files come back")
	}
	changes, err := step.CodeDiff(ctx, s, before.Tree, after.Tree)
	if err != nil {
		return nil, err
	}
	concurrent := worktree.SetOf(sessionstate.DecodePaths(d.last.Concurrent))
	changes = slices.DeleteFunc(changes, func(c git.Change) bool { return concurrent[c.Path] })
	if err := checkReadable(plan, changes); err != nil {
		return nil, err
	}
	if err := planReverting(ctx, s, plan, changes); err != nil {
		return nil, err
	}
	return plan, planChanges(ctx, s, plan)
}

// checkReadable returns an error that names the paths of changes that cannot be read now, or lie in a folder that cannot.
// An undo that left them alone could not be made a second time.
func checkReadable(plan *Plan, changes []git.Change) error {
	closed := map[string]bool{}
	for _, u := range plan.Present.Uncaptured {
		closed[u.Path] = closed[u.Path] || u.Gap == worktree.GapUnreadable
	}
	var stuck []string
	for _, c := range changes {
		denied := closed["."]
		for p := c.Path; p != "." && !denied; p = path.Dir(p) {
			denied = closed[p]
		}
		if denied && covers(plan.Scope, c.Path) {
			stuck = append(stuck, sessionstate.EncodePath(c.Path))
		}
	}
	switch len(stuck) {
	case 0:
		return nil
	case 1:
		return fmt.Errorf("nothing was changed: %s: %w", stuck[0], fs.ErrPermission)
	}
	return fmt.Errorf("nothing was changed: %s and %s: %w", stuck[0], worktree.Counted(len(stuck)-1, "more file"), fs.ErrPermission)
}

// planReverting plans to reverse the given changes and merges what was changed since.
func planReverting(ctx context.Context, s *sessionstate.Env, plan *Plan, changes []git.Change) error {
	at, err := step.VersionsAt(ctx, s, []git.OID{plan.before}, step.Paths(changes), map[git.OID][]git.TreeEntry{})
	if err != nil {
		return err
	}
	plan.merged, plan.undone = map[string]bool{}, map[string][]restore.UndoneChange{}
	var edits []git.Edit
	for i, c := range changes {
		if !covers(plan.Scope, c.Path) {
			continue
		}
		now := restore.TreeFileVersion(at[0][i])
		base, theirs := sessionstate.FileVersion{Mode: c.NewMode, OID: c.New}, sessionstate.FileVersion{Mode: c.OldMode, OID: c.Old}
		var marked sessionstate.FileVersion
		to, ok, err := MergeFiles(base, now, theirs, func(b, o, t git.OID) (git.OID, bool, error) {
			merged, clean, err := mergeTexts(ctx, s, b, o, t, "now", plan.targetLabel())
			if !clean && !merged.IsZero() {
				marked = sessionstate.FileVersion{Mode: now.Mode, OID: merged}
			}
			return merged, clean, err
		})
		if err != nil {
			return fmt.Errorf("merge %s: %w", sessionstate.EncodePath(c.Path), err)
		}
		if !ok {
			to = plan.resolveConflict(restore.PlanConflict{Path: c.Path, Base: restore.PlanSide(base), Ours: restore.PlanSide(now), Theirs: restore.PlanSide(theirs), Saved: plan.undoes.String()}, now, marked)
		}
		plan.merged[c.Path] = ok && to != theirs
		if to != now {
			edits = append(edits, git.Edit{Path: c.Path, Mode: to.Mode, OID: to.OID})
		}
	}
	if edits, err = withoutCollisions(ctx, s, plan, edits, plan.undoes); err != nil {
		return err
	}
	plan.after, err = s.Repo.EditTree(ctx, plan.before, edits)
	return err
}
