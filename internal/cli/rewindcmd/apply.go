package rewindcmd

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"entire/agent/agents"
	"entire/id"
	"entire/internal/cli/cliui"
	"entire/internal/cli/rewindlib"
	"entire/internal/cli/workplace"
	"entire/internal/term"
	"entire/strategy/autocommit"
	"entire/strategy/condense"
	"entire/strategy/maintain"
	"entire/strategy/restore"
	"entire/strategy/rewind"
	"entire/strategy/sessionstate"
	"entire/strategy/step"
	"entire/strategy/transcript"
)

// A planner makes a plan for a way to handle conflicts.
type planner func(condense.ConflictMode) (*rewind.Plan, error)

// carryOut makes the plan, shows it, asks a person, and carries it out. With --yes, or without a
// person, it carries out the plan at once.
func carryOut(ctx context.Context, env *cliui.Env, wp *workplace.Workplace, d doing, plans planner, mode condense.ConflictMode) error {
	if !d.dryRun && (d.yes || !env.Terminal().Interactive) {
		return atOnce(ctx, env, wp, d, plans, mode)
	}
	plan, err := plans(mode)
	if err != nil {
		return err
	}
	warnPaths(env, plan)
	if d.dryRun {
		return showPlan(ctx, env, wp, plan, d)
	}
	fmt.Fprint(env.Err, rewindlib.PlanText(plan, env.Terminal()))
	if plan, err = decide(ctx, env, plan, plans); err != nil {
		return err
	}
	if rewindlib.NothingToDo(plan) {
		_, err := fmt.Fprintln(env.Out, rewindlib.NothingWords(plan))
		return err
	}
	if plan.Kind == condense.RewindDone { // a redo reverts an undo, so neither asks
		if err := agreed(ctx, env, d.yes || d.asked, rewindlib.PlanQuestion(plan), "Nothing will be lost: the present is saved first, and `entire undo` brings it back."); err != nil {
			return err
		}
	}
	done, err := rewind.Rewind(ctx, wp.Engine, plan)
	if err != nil {
		return rewindlib.PlanAgain(err)
	}
	if d.json {
		return env.PrintJSON(rewindlib.DoneView(plan, done))
	}
	return reportRewind(env, plan, beyond(done, plan))
}

// atOnce is carryOut without asking.
func atOnce(ctx context.Context, env *cliui.Env, wp *workplace.Workplace, d doing, plans planner, mode condense.ConflictMode) error {
	var none *rewind.Plan
	plan, done, err := rewind.RewindNow(ctx, wp.Engine, func() (*rewind.Plan, error) {
		plan, err := plans(mode)
		if err != nil {
			return nil, err
		}
		warnPaths(env, plan)
		if len(plan.Conflicts) > 0 && plan.Scope.Conflicts == rewind.ConflictsStop {
			return nil, refuse(env, plan)
		}
		if plan.Kind == condense.RewindDone && rewindlib.NothingToDo(plan) { // keep an empty rewind out of the undo log
			none = plan
			return nil, cliui.ErrTold
		}
		return plan, nil
	})
	switch {
	case none != nil:
		return reportNothing(env, none, d)
	case err != nil:
		return rewindlib.PlanAgain(err)
	case d.json:
		return env.PrintJSON(rewindlib.DoneView(plan, done))
	}
	return reportRewind(env, plan, done)
}

func showPlan(ctx context.Context, env *cliui.Env, wp *workplace.Workplace, plan *rewind.Plan, d doing) error {
	if d.json {
		return env.PrintJSON(rewindlib.PlanView(plan))
	}
	text := rewindlib.PlanText(plan, env.Screen())
	if d.diff {
		patch, err := rewindlib.PlanPatch(ctx, wp, plan)
		if err != nil {
			return err
		}
		text += "\n" + workplace.PatchText(env, patch)
	}
	return env.Show(ctx, text, false)
}

// warnPaths warns of named files that the plan does not concern: a name may be mistyped.
func warnPaths(env *cliui.Env, plan *rewind.Plan) {
	for _, path := range plan.Scope.Paths {
		one := []string{path}
		if !slices.ContainsFunc(plan.Changes, func(c restore.PlannedChange) bool { return workplace.Covered(one, c.Path) }) &&
			!slices.ContainsFunc(plan.Kept, func(k sessionstate.KeptFile) bool { return workplace.Covered(one, k.Path) }) &&
			!slices.ContainsFunc(plan.Conflicts, func(c restore.PlanConflict) bool { return workplace.Covered(one, c.Path) }) {
			fmt.Fprintf(env.Err, "warning: nothing differs at %s\n", cliui.ShownName(path))
		}
	}
}

// decide lets a person choose how to handle the conflicts, if there are any.
func decide(ctx context.Context, env *cliui.Env, plan *rewind.Plan, plans planner) (*rewind.Plan, error) {
	if len(plan.Conflicts) == 0 || plan.Scope.Conflicts != rewind.ConflictsStop {
		return plan, nil
	}
	i, err := env.Terminal().Select(ctx, fmt.Sprintf("Later changes do not merge in %s. What to do?", cliui.Count(len(plan.Conflicts), "file")), []string{
		"Leave these files, change the others", "Write both sides into them, between markers", "Do nothing",
	})
	if errors.Is(err, term.ErrCancelled) || err == nil && i == 2 {
		return nil, unchanged(env)
	}
	if err != nil {
		return nil, err
	}
	return plans([]condense.ConflictMode{rewind.ConflictsKeep, rewind.ConflictsMarkers}[i])
}

// refuse prints the conflicts and returns an error where nobody can be asked.
func refuse(env *cliui.Env, plan *rewind.Plan) error {
	var b strings.Builder
	rewindlib.WriteConflicts(&b, plan.Conflicts)
	fmt.Fprint(env.Err, b.String())
	return cliui.Failf("--conflicts=keep leaves these files and changes the others, --conflicts=markers writes both sides into them",
		"nothing was changed: later changes do not merge in %s", cliui.Count(len(plan.Conflicts), "file"))
}

// reportNothing reports a rewind that changes nothing. The rewind is not in the log, and cannot
// be undone.
func reportNothing(env *cliui.Env, plan *rewind.Plan, d doing) error {
	none := &restore.RewindOutcome{Kept: plan.Kept, Warnings: plan.Warnings}
	if d.json {
		return env.PrintJSON(rewindlib.DoneView(plan, none))
	}
	var b strings.Builder
	rewindlib.WriteKept(&b, plan.Kept)
	for _, warning := range plan.Warnings {
		fmt.Fprintf(&b, "warning: %s\n", cliui.ShownLine(warning))
	}
	fmt.Fprint(env.Err, b.String())
	_, err := fmt.Fprintln(env.Out, rewindlib.NothingWords(plan))
	return err
}

// beyond returns the part of the outcome that differs from the plan, because a person has just
// read the plan.
func beyond(done *restore.RewindOutcome, plan *rewind.Plan) *restore.RewindOutcome {
	rest := *done
	rest.Written, rest.Removed, rest.Replaced = nil, nil, nil
	rest.Kept = slices.DeleteFunc(slices.Clone(done.Kept), func(k sessionstate.KeptFile) bool { return slices.Contains(plan.Kept, k) })
	rest.Warnings = slices.DeleteFunc(slices.Clone(done.Warnings), func(s string) bool { return slices.Contains(plan.Warnings, s) })
	return &rest
}

func reportRewind(env *cliui.Env, plan *rewind.Plan, done *restore.RewindOutcome) error {
	var b strings.Builder
	for _, path := range done.Removed {
		fmt.Fprintf(&b, "  Deleted: %s\n", cliui.ShownName(path))
	}
	for _, path := range done.Written {
		fmt.Fprintf(&b, "  Restored: %s\n", cliui.ShownName(path))
	}
	rewindlib.WriteKept(&b, done.Kept)
	if len(done.Replaced) > 0 {
		fmt.Fprintf(&b, "This replaced what a person had changed in: %s\n", rewindlib.ShownNames(done.Replaced))
	}
	for _, warning := range done.Warnings {
		fmt.Fprintf(&b, "warning: %s\n", cliui.ShownLine(warning))
	}
	fmt.Fprint(env.Err, b.String())
	what := rewindlib.DoneWords(plan)
	if done.ResumeCommand != "" && !plan.Scope.SkipConversation {
		what += " " + done.ResumeCommand
	}
	fmt.Fprintln(env.Out, what)
	if done.SafetyID == "" {
		return nil
	}
	how := "undo this: entire undo"
	if plan.Kind == condense.RewindUndo {
		how = "take this back: entire redo"
	}
	_, err := fmt.Fprintf(env.Out, "The present was saved as %s. To %s\n", cliui.ShortID(done.SafetyID), how)
	return err
}

func restoreTranscripts(ctx context.Context, env *cliui.Env, wp *workplace.Workplace, point step.RewindPoint) error {
	restored, err := transcript.RestoreLogs(ctx, wp.Engine, point, false)
	if err != nil {
		return err
	}
	reportLogs(env, restored)
	_, err = fmt.Fprintln(env.Out, "Note: Working directory unchanged.")
	return err
}

// reportLogs says where transcripts were written and how to continue.
func reportLogs(env *cliui.Env, done *transcript.LogsOutcome) {
	for _, s := range done.Restored {
		fmt.Fprintf(env.Err, "Writing transcript to: %s\n", s.Path)
	}
	for _, skipped := range done.Skipped {
		fmt.Fprintf(env.Err, "warning: %s\n", skipped)
	}
	if len(done.Restored) > 1 {
		fmt.Fprintf(env.Out, "Restored %d sessions. Resume with:\n", len(done.Restored))
	}
	for i, s := range done.Restored {
		line := s.ResumeCommand
		if line == "" {
			line = "Session " + s.SessionID
		}
		if s.Prompt != "" {
			line += "  # " + s.Prompt
		}
		if len(done.Restored) > 1 && i == len(done.Restored)-1 {
			line += " (most recent)"
		}
		fmt.Fprintln(env.Out, line)
	}
}

// moveBranchTo moves the branch back to one of its commits.
func moveBranchTo(ctx context.Context, env *cliui.Env, wp *workplace.Workplace, point step.RewindPoint, o rewindOptions) error {
	if err := agreed(ctx, env, o.yes || o.asked, "Rewind the branch to "+cliui.ShortID(point.ID)+"?", "Commits after it leave the branch; they stay in the repository."); err != nil {
		return err
	}
	oldHead, warnings, err := maintain.RewindBranch(ctx, wp.Engine, point)
	var dirty *autocommit.UncommittedError
	if errors.As(err, &dirty) {
		return cliui.Failf("`entire rewind "+cliui.ShortID(point.ID)+" --logs-only` restores only the conversation", "%w", err)
	}
	if err != nil {
		return err
	}
	for _, warning := range warnings {
		fmt.Fprintf(env.Err, "warning: %s\n", warning)
	}
	what := "Rewound to " + cliui.ShortID(point.ID) + "."
	if ag, ok := agents.ByType(point.Agent); ok {
		if sid, err := id.ParseSessionID(point.SessionID); err == nil {
			what += " " + ag.ResumeCommand(sid)
		}
	}
	fmt.Fprintln(env.Out, what)
	if oldHead != point.ID {
		fmt.Fprintf(env.Out, "To undo this: git reset --hard %s\n", cliui.ShortID(oldHead))
	}
	return nil
}

func resetTo(ctx context.Context, env *cliui.Env, wp *workplace.Workplace, point step.RewindPoint, o rewindOptions) error {
	detail := "Commits after it leave the branch, and uncommitted changes leave the worktree. Both are saved first."
	if err := agreed(ctx, env, o.yes || o.asked, "Reset the branch to "+cliui.ShortID(point.ID)+"?", detail); err != nil {
		return err
	}
	restored, err := transcript.RestoreLogs(ctx, wp.Engine, point, false)
	if err != nil {
		return err
	}
	oldHead, err := maintain.ResetTo(ctx, wp.Engine, point)
	if err != nil {
		return err
	}
	fmt.Fprintf(env.Out, "Reset branch to %s.\n", cliui.ShortID(point.ID))
	reportLogs(env, restored)
	if oldHead != point.ID {
		fmt.Fprintf(env.Out, "To undo this reset: git reset --hard %s\n", cliui.ShortID(oldHead))
	}
	log, err := rewind.Log(ctx, wp.Engine)
	if err == nil && len(log) > 0 && log[0].Kind == condense.RewindReset && log[0].Before != oldHead {
		fmt.Fprintf(env.Out, "What was not committed is saved as %s; `entire undo` restores it.\n", cliui.ShortID(log[0].Before))
	}
	return nil
}
