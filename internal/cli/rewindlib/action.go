package rewindlib

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"

	"entire/internal/cli/cliui"
	"entire/internal/cli/workplace"
	"entire/internal/term"
	"entire/strategy/condense"
	"entire/strategy/restore"
	"entire/strategy/rewind"
	"entire/strategy/sessionstate"
	"entire/strategy/step"
	"entire/strategy/turn"
)

// ErrPlanChanged is returned by Do if the rewind would no longer do what its preview showed.
var ErrPlanChanged = errors.New("the files have changed since the preview")

// A Request is a rewind, an undo or a redo that somebody asks for.
type Request struct {
	Kind  condense.RewindKind `json:"kind"`            // "" is RewindDone
	Point string              `json:"point"`           // a point by any of its names; not used for ScopeTurn
	Entry string              `json:"of"`              // undo and redo: the logged rewind, "" for the newest that can be
	Scope condense.Scope      `json:"scope"`           // undo and redo use its Conflicts only
	Hunks Hunks               `json:"hunks,omitempty"` // only these, nil for everything

	NoPatch bool `json:"-"` // Look leaves Patch empty
}

// A Preview is what a Request would do. Mark stands for exactly this plan: Do takes it.
type Preview struct {
	PlannedRewind
	Subject  string `json:"subject"`  // what it is about, as the beginning of a sentence
	Question string `json:"question"` // whether to do it
	Command  string `json:"command"`  // the command that does the same
	Mark     string `json:"mark"`
	Patch    []byte `json:"-"` // what would change in the worktree
	Words    string `json:"-"` // the whole plan as text without colours
}

// Look returns what a request would do. It changes nothing.
func Look(ctx context.Context, env *cliui.Env, req Request) (*Preview, error) {
	wp, err := openFor(ctx, env)
	if err != nil {
		return nil, err
	}
	defer wp.Close()
	plan, err := req.plan(ctx, wp)
	if err != nil {
		return nil, err
	}
	p := &Preview{PlannedRewind: PlanView(plan), Subject: planSubject(plan), Question: PlanQuestion(plan), Command: req.command(plan),
		Mark: markOf(plan), Words: PlanText(plan, term.Terminal{})}
	if !req.NoPatch {
		p.Patch, err = PlanPatch(ctx, wp, plan)
	}
	return p, err
}

// A Done is a completed rewind, and its JSON form.
type Done struct {
	Kind      condense.RewindKind     `json:"kind"`
	Entry     string                  `json:"id"` // in the log: what `entire undo` takes
	Point     string                  `json:"point"`
	Scope     condense.Scope          `json:"scope"`
	Nothing   bool                    `json:"changes_nothing"` // nothing was done
	Written   []string                `json:"written"`
	Removed   []string                `json:"removed"`
	Kept      []sessionstate.KeptFile `json:"kept"`
	Conflicts []restore.PlanConflict  `json:"conflicts"`
	Replaced  []string                `json:"replaced"` // files that a person had changed
	Saved     string                  `json:"saved"`    // the step that holds the worktree before the rewind
	Session   string                  `json:"session_id,omitempty"`
	Resume    string                  `json:"resume_command,omitempty"`
	Warnings  []string                `json:"warnings"`

	Words string `json:"-"` // what was done, in a sentence
}

// DoneView returns the JSON form of what a plan did.
func DoneView(plan *rewind.Plan, done *restore.RewindOutcome) Done {
	return Done{
		Kind: plan.Kind, Entry: done.EntryID, Point: plan.Point.ID, Scope: plan.Scope,
		Nothing: done.EntryID == "" && NothingToDo(plan), Written: cliui.NotNil(done.Written), Removed: cliui.NotNil(done.Removed),
		Kept: cliui.NotNil(done.Kept), Conflicts: cliui.NotNil(plan.Conflicts), Replaced: cliui.NotNil(done.Replaced), Saved: done.SafetyID,
		Session: done.SessionID, Resume: done.ResumeCommand, Warnings: cliui.NotNil(done.Warnings), Words: DoneWords(plan),
	}
}

// Do carries a request out. With a mark it returns ErrPlanChanged, and changes nothing, unless the
// plan is the one of the preview with that mark. A plan that changes nothing is not logged.
func Do(ctx context.Context, env *cliui.Env, req Request, mark string) (*Done, error) {
	wp, err := openFor(ctx, env)
	if err != nil {
		return nil, err
	}
	defer wp.Close()
	var nothing *rewind.Plan
	plan, out, err := rewind.RewindNow(ctx, wp.Engine, func() (*rewind.Plan, error) {
		plan, err := req.plan(ctx, wp)
		switch {
		case err != nil:
			return nil, err
		case mark != "" && mark != markOf(plan):
			return nil, cliui.Failf("look at the new preview", "%w", ErrPlanChanged)
		case len(plan.Conflicts) > 0 && plan.Scope.Conflicts == rewind.ConflictsStop:
			return nil, cliui.Failf("choose what to do with them: keep them as they are, or write both sides into them",
				"nothing was changed: later changes do not merge in %s", cliui.Count(len(plan.Conflicts), "file"))
		case NothingToDo(plan) && plan.Kind == condense.RewindDone:
			nothing = plan
			return nil, cliui.ErrTold
		}
		return plan, nil
	})
	switch {
	case nothing != nil:
		done := DoneView(nothing, &restore.RewindOutcome{Kept: nothing.Kept, Warnings: nothing.Warnings})
		done.Words = NothingWords(nothing)
		return &done, nil
	case err != nil:
		return nil, PlanAgain(err)
	}
	done := DoneView(plan, out)
	return &done, nil
}

// PlanAgain adds a hint to the error of a plan that is out of date, or of a state that cannot be read.
func PlanAgain(err error) error {
	if errors.Is(err, restore.ErrWorktreeMoved) {
		return cliui.Failf("run it again to make a new plan", "%w", err)
	}
	return hintState(err)
}

// hintState adds a hint to the error of a session's damaged state.
func hintState(err error) error {
	if errors.Is(err, rewind.ErrDamagedState) {
		return cliui.Failf("`entire doctor --fix` moves the file aside; then run it again", "%w", err)
	}
	return err
}

// SaveLabel saves the present worktree as a point with a label.
func SaveLabel(ctx context.Context, env *cliui.Env, label string) (step.RewindPoint, error) {
	wp, err := openFor(ctx, env)
	if err != nil {
		return step.RewindPoint{}, err
	}
	defer wp.Close()
	point, err := turn.SaveLabel(ctx, wp.Engine, label)
	if errors.Is(err, turn.ErrNoLabel) {
		err = cliui.Failf("give a label that you will recognize later, as in \"before the upgrade\"", "%w", err)
	}
	return point, err
}

// openFor opens the repository for an action.
func openFor(ctx context.Context, env *cliui.Env) (*workplace.Workplace, error) {
	wp, err := workplace.OpenEnabled(ctx, env)
	switch {
	case err != nil:
		return nil, err
	case wp == nil:
		return nil, cliui.Failf("`entire enable` switches it on", "Entire is switched off in this repository")
	case !wp.Place.SetUp:
		wp.Close()
		return nil, cliui.Failf("`entire enable` sets it up", "Entire is not set up in this repository")
	}
	return wp, nil
}

func (req Request) plan(ctx context.Context, wp *workplace.Workplace) (*rewind.Plan, error) {
	plan, err := req.whole(ctx, wp)
	if err == nil && req.Hunks != nil {
		err = Choose(ctx, wp, plan, req.Hunks)
	}
	return plan, err
}

// whole returns the plan without a choice of hunks.
func (req Request) whole(ctx context.Context, wp *workplace.Workplace) (*rewind.Plan, error) {
	switch {
	case req.Kind == condense.RewindUndo:
		plan, err := rewind.PlanUndo(ctx, wp.Engine, req.Entry, req.Scope.Conflicts)
		return plan, HintBack(err, req.Entry)
	case req.Kind == condense.RewindRedo:
		plan, err := rewind.PlanRedo(ctx, wp.Engine, req.Entry, req.Scope.Conflicts)
		return plan, HintBack(err, req.Entry)
	case req.Scope.Kind == condense.ScopeTurn:
		plan, err := rewind.PlanTurn(ctx, wp.Engine, req.Scope)
		return plan, HintTurn(err)
	}
	if req.Hunks != nil {
		req.Scope.SkipConversation = true
	}
	point, err := wp.PointNamed(ctx, req.Point)
	if err != nil {
		return nil, cliui.WithHint(err, "`entire log` shows the points")
	}
	if (point.IsLogsOnly || rewind.IsCommit(point)) && !req.Scope.SkipConversation {
		return nil, cliui.Failf("leave the conversation as it is, or use `entire rewind "+cliui.ShortID(point.ID)+" --reset`",
			"%s is a commit: only its files can be restored here", cliui.ShortID(point.ID))
	}
	plan, err := rewind.PlanRewind(ctx, wp.Engine, point, req.Scope)
	return plan, HintRewind(err, point)
}

// HintBack adds a hint to the error of an undo or a redo of the named rewind, "" for the newest.
func HintBack(err error, name string) error {
	switch {
	case errors.Is(err, rewind.ErrNothingToUndo), errors.Is(err, rewind.ErrNothingToRedo), errors.Is(err, rewind.ErrNotKept):
		return cliui.Failf("`entire log --kind rewind` lists the rewinds, `entire log` the points", "%w", err)
	case err != nil && name != "":
		return cliui.Failf("`entire log --kind rewind` shows the IDs", "%w", err)
	}
	return err
}

// HintTurn adds a hint to the error of undoing a turn.
func HintTurn(err error) error {
	if err != nil {
		return cliui.Failf("`entire log` shows the sessions and turns", "%w", err)
	}
	return nil
}

// HintRewind adds a hint to the error of a rewind to a point.
func HintRewind(err error, point step.RewindPoint) error {
	switch {
	case NeedsTree(err):
		return cliui.Failf("--tree restores all files of the point, `-- PATH` some of them", "%w", err)
	case errors.Is(err, rewind.ErrNotOnBranch):
		return cliui.Failf("--tree in the place of --session or --mine restores all files of the point", "%w", err)
	case errors.Is(err, restore.ErrBaseGone):
		return cliui.Failf("its files are there: git restore --source="+point.ID+" -- FILE", "%w", err)
	}
	return hintState(err)
}

// NeedsTree reports whether a rewind was refused that --tree allows.
func NeedsTree(err error) bool { return errors.Is(err, restore.ErrBaseMoved) }

func (req Request) command(plan *rewind.Plan) string {
	name := ""
	if req.Entry != "" {
		name = " " + cliui.ShortID(req.Entry)
	}
	switch req.Kind {
	case condense.RewindUndo:
		return "entire undo" + name
	case condense.RewindRedo:
		return "entire redo" + name
	}
	sc := plan.Scope
	if req.Scope.Kind == condense.ScopeAuto {
		sc.Kind = condense.ScopeAuto // what the plan decided, the command decides again
	}
	if req.Hunks == nil {
		return commandOf(plan.Point.ID, sc)
	}
	sc.Hunks, sc.SkipConversation = false, req.Scope.SkipConversation || len(sc.Paths) > 0 // --hunk implies it
	return commandOf(plan.Point.ID, sc) + req.Hunks.flags()
}

// markOf returns a text that differs between plans that do different things. What a plan leaves
// alone does not count: others may be at work there.
func markOf(plan *rewind.Plan) string {
	view := PlanView(plan)
	view.Kept, view.Gaps, view.Warnings = nil, nil, nil
	data, err := json.Marshal(view)
	if err != nil {
		return ""
	}
	for _, c := range plan.Changes {
		data = fmt.Appendf(data, "%v", c.Change)
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:16])
}
