package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"entire/agent"
	"entire/id"
	"entire/internal/term"
	"entire/strategy"
)

// plannedRewind is the JSON form of a plan.
type plannedRewind struct {
	Point    strategy.RewindPoint     `json:"point"`
	Changes  []strategy.PlannedChange `json:"changes"`
	Kept     []strategy.KeptFile      `json:"kept"`
	Warnings []string                 `json:"warnings"`
}

func (w *world) rewindTo(ctx context.Context, wp *workplace, point strategy.RewindPoint, o rewindOptions) error {
	plan, err := wp.engine.PlanRewind(ctx, point, strategy.Scope{})
	if errors.Is(err, strategy.ErrBaseGone) {
		return failf("its files are there: git restore --source="+point.ID+" -- FILE", "%w", err)
	}
	if err != nil {
		return err
	}
	if o.json {
		return w.printJSON(plannedRewind{plan.Point, notNil(plan.Changes), notNil(plan.Kept), notNil(plan.Warnings)})
	}
	if o.dryRun {
		_, err := fmt.Fprint(w.out, planText(plan, w.screen(), true))
		return err
	}
	shown := false
	if t := w.terminal(); t.Interactive && !o.yes {
		fmt.Fprint(w.err, planText(plan, t, false))
		shown = true
	}
	if err := w.agreed(ctx, o, "Rewind to "+shortID(point.ID)+"?", "The present is saved first."); err != nil {
		return err
	}
	outcome, err := wp.engine.Rewind(ctx, plan)
	if err != nil {
		return err
	}
	if shown {
		outcome = beyond(outcome, plan)
	}
	return w.reportRewind(point, outcome)
}

// beyond is what came out otherwise than planned: a person who has just read the
// plan need not read it again.
func beyond(done *strategy.RewindOutcome, plan *strategy.RewindPlan) *strategy.RewindOutcome {
	rest := *done
	rest.Written, rest.Removed = nil, nil
	rest.Kept = slices.DeleteFunc(slices.Clone(done.Kept), func(k strategy.KeptFile) bool { return slices.Contains(plan.Kept, k) })
	rest.Warnings = slices.DeleteFunc(slices.Clone(done.Warnings), func(s string) bool { return slices.Contains(plan.Warnings, s) })
	return &rest
}

// verbs are the actions as a person reads them.
var verbs = map[strategy.PlanAction]string{
	strategy.PlanWrite: "Restore", strategy.PlanCreate: "Create", strategy.PlanRemove: "Remove", strategy.PlanMode: "Change mode",
}

func planText(plan *strategy.RewindPlan, t term.Terminal, dryRun bool) string {
	var b strings.Builder
	if len(plan.Changes) == 0 {
		b.WriteString("No file differs from this point.\n")
	} else if dryRun {
		fmt.Fprintf(&b, "Rewinding to %s (%s) would change %s:\n", shortID(plan.Point.ID), plan.Point.Message, count(len(plan.Changes), "file"))
	}
	for _, c := range plan.Changes {
		verb := verbs[c.Action]
		if c.Action == strategy.PlanRemove {
			verb = t.Styled(term.Bad, verb)
		}
		fmt.Fprintf(&b, "  %s: %s%s\n", verb, shownName(c.Path), lineCounts(c.Insertions, c.Deletions))
	}
	writeKept(&b, plan.Kept)
	for _, warning := range plan.Warnings {
		fmt.Fprintf(&b, "warning: %s\n", warning)
	}
	return b.String()
}

// count is a number of things in words.
func count(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

func lineCounts(insertions, deletions int) string {
	switch {
	case insertions < 0 || deletions < 0:
		return " (binary)"
	case insertions == 0 && deletions == 0:
		return ""
	}
	return fmt.Sprintf(" (+%d -%d)", insertions, deletions)
}

func writeKept(b *strings.Builder, kept []strategy.KeptFile) {
	for _, k := range kept {
		fmt.Fprintf(b, "  Kept: %s (%s)\n", shownName(k.Path), k.Why)
	}
}

// shownName quotes a name that would otherwise break the line.
func shownName(path string) string {
	for _, r := range path {
		if r < ' ' || r == '"' || r == '\uFFFD' || r == 0x7f {
			return fmt.Sprintf("%q", path)
		}
	}
	return path
}

func (w *world) reportRewind(point strategy.RewindPoint, done *strategy.RewindOutcome) error {
	var b strings.Builder
	for _, path := range done.Removed {
		fmt.Fprintf(&b, "  Deleted: %s\n", shownName(path))
	}
	for _, path := range done.Written {
		fmt.Fprintf(&b, "  Restored: %s\n", shownName(path))
	}
	writeKept(&b, done.Kept)
	for _, warning := range done.Warnings {
		fmt.Fprintf(&b, "warning: %s\n", warning)
	}
	fmt.Fprint(w.err, b.String())
	what := "Rewound to " + shortID(point.ID) + "."
	if point.IsTaskCheckpoint {
		what = "Rewound to task checkpoint."
	}
	if done.ResumeCommand != "" {
		what += " " + done.ResumeCommand
	}
	fmt.Fprintln(w.out, what)
	if done.SafetyID != "" {
		fmt.Fprintf(w.out, "The present was saved as %s. To go back: entire rewind --to %s\n", shortID(done.SafetyID), shortID(done.SafetyID))
	}
	return nil
}

func (w *world) restoreLogs(ctx context.Context, wp *workplace, point strategy.RewindPoint) error {
	restored, err := wp.engine.RestoreLogs(ctx, point, false)
	if err != nil {
		return err
	}
	w.reportLogs(restored)
	_, err = fmt.Fprintln(w.out, "Note: Working directory unchanged.")
	return err
}

// reportLogs says where transcripts went and how to go on.
func (w *world) reportLogs(done *strategy.LogsOutcome) {
	for _, s := range done.Restored {
		fmt.Fprintf(w.err, "Writing transcript to: %s\n", s.Path)
	}
	for _, skipped := range done.Skipped {
		fmt.Fprintf(w.err, "warning: %s\n", skipped)
	}
	if len(done.Restored) > 1 {
		fmt.Fprintf(w.out, "Restored %d sessions. Resume with:\n", len(done.Restored))
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
		fmt.Fprintln(w.out, line)
	}
}

// moveBranch goes back to a commit of the branch's own.
func (w *world) moveBranch(ctx context.Context, wp *workplace, point strategy.RewindPoint, o rewindOptions) error {
	if err := w.agreed(ctx, o, "Rewind the branch to "+shortID(point.ID)+"?", "Commits after it leave the branch; they stay in the repository."); err != nil {
		return err
	}
	oldHead, warnings, err := wp.engine.RewindBranch(ctx, point)
	var dirty *strategy.UncommittedError
	if errors.As(err, &dirty) {
		return failf("`entire rewind --to "+shortID(point.ID)+" --logs-only` brings back the conversation alone", "%w", err)
	}
	if err != nil {
		return err
	}
	for _, warning := range warnings {
		fmt.Fprintf(w.err, "warning: %s\n", warning)
	}
	what := "Rewound to " + shortID(point.ID) + "."
	if ag, ok := agent.ByType(point.Agent); ok {
		if sid, err := id.ParseSessionID(point.SessionID); err == nil {
			what += " " + ag.ResumeCommand(sid)
		}
	}
	fmt.Fprintln(w.out, what)
	if oldHead != point.ID {
		fmt.Fprintf(w.out, "To undo this: git reset --hard %s\n", shortID(oldHead))
	}
	return nil
}

func (w *world) resetTo(ctx context.Context, wp *workplace, point strategy.RewindPoint, o rewindOptions) error {
	detail := "Commits after it leave the branch, and uncommitted changes leave the worktree. Both are saved first."
	if err := w.agreed(ctx, o, "Reset the branch to "+shortID(point.ID)+"?", detail); err != nil {
		return err
	}
	restored, err := wp.engine.RestoreLogs(ctx, point, false)
	if err != nil {
		return err
	}
	oldHead, err := wp.engine.ResetTo(ctx, point)
	if err != nil {
		return err
	}
	fmt.Fprintf(w.out, "Reset branch to %s.\n", shortID(point.ID))
	w.reportLogs(restored)
	if oldHead != point.ID {
		fmt.Fprintf(w.out, "To undo this reset: git reset --hard %s\n", shortID(oldHead))
	}
	return nil
}
