package rewindcmd

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"entire/internal/cli/cliui"
	"entire/internal/cli/rewindlib"
	"entire/internal/cli/workplace"
	"entire/internal/git"
	"entire/internal/term"
	"entire/strategy/condense"
	"entire/strategy/rewind"
	"entire/strategy/step"
)

// choosePoint lets a person choose a point and an action, from the points grouped by session and
// turn.
func choosePoint(ctx context.Context, env *cliui.Env, wp *workplace.Workplace, o *rewindOptions, scope *condense.Scope) (step.RewindPoint, rewindAction, error) {
	var none step.RewindPoint
	t := env.Terminal()
	if !t.Interactive {
		return none, 0, cliui.Failf("without a terminal use `entire rewind ID`; `entire log` shows the IDs", "selection cancelled: %w", term.ErrNotInteractive)
	}
	points, err := step.Points(ctx, wp.Engine, 0)
	if err != nil {
		return none, 0, err
	}
	if scope.Session != "" {
		points = slices.DeleteFunc(points, func(p step.RewindPoint) bool { return p.SessionID != scope.Session })
	}
	if len(points) == 0 {
		return none, 0, cliui.Failf("points appear when an agent's turn has changed files; `entire save` makes one by hand", "no rewind points")
	}
	views, err := workplace.ViewPoints(ctx, wp, points)
	if err != nil {
		return none, 0, err
	}
	rows, at := pickRows(views)
	if here := presentPoint(ctx, wp, points); here >= 0 {
		rows[slices.Index(at, here)].Here = true
	}
	preview := func(ctx context.Context, row int) []term.Cell {
		return previewPoint(ctx, env, wp, points[at[row]], *scope)
	}
	i, err := t.Pick(ctx, "Go back to which point?", rows, preview)
	if err != nil {
		return none, 0, fmt.Errorf("selection cancelled: %w", err)
	}
	point := points[at[i]]
	action, err := chooseAction(ctx, env, point, o, scope)
	switch {
	case errors.Is(err, cliui.ErrTold):
		return none, 0, err
	case err != nil:
		return none, 0, fmt.Errorf("selection cancelled: %w", err)
	}
	return point, action, nil
}

// presentPoint returns the index of the newest point whose files are those of the worktree; -1 if
// there is none or the worktree cannot be read.
func presentPoint(ctx context.Context, wp *workplace.Workplace, points []step.RewindPoint) int {
	present, _, err := rewind.PresentTree(ctx, wp.Engine)
	if err != nil {
		return -1
	}
	rd := wp.Repo.Reader(ctx)
	files := func(tree git.OID) []git.TreeEntry {
		entries, _ := rd.Tree(tree)
		return slices.DeleteFunc(slices.Clone(entries), func(e git.TreeEntry) bool { return e.Name == ".entire" })
	}
	now := files(present)
	return slices.IndexFunc(points, func(p step.RewindPoint) bool {
		c, found, err := rd.CommitOf(p.ID)
		return err == nil && found && slices.Equal(files(c.Tree), now)
	})
}

// pickRows returns the points under headings, and for each row the index of its point, -1 for a
// heading. The session with the newest point comes first; its turns get headings if one has
// several points.
func pickRows(views []workplace.PointView) (rows []term.Row, at []int) {
	add := func(r term.Row, point int) { rows, at = append(rows, r), append(at, point) }
	for _, group := range groupBy(views, nil, groupName) {
		add(term.Row{Text: sessionHeading(views[group[0]]), Heading: 1}, -1)
		turns := groupBy(views, group, func(v workplace.PointView) string { return fmt.Sprint(v.Kind == "commit", v.Turn) })
		many := slices.ContainsFunc(turns, func(turn []int) bool { return len(turn) > 1 })
		for _, turn := range turns {
			if v := views[turn[0]]; many && v.Turn > 0 {
				add(term.Row{Text: fmt.Sprintf("Turn %d", v.Turn), Heading: 2}, -1)
			}
			for _, i := range turn {
				add(pickRow(views[i]), i)
			}
		}
	}
	return rows, at
}

// groupBy groups the views with these indexes, nil for all, by key, in the order in which each
// key first appears.
func groupBy(views []workplace.PointView, of []int, key func(workplace.PointView) string) [][]int {
	if of == nil {
		for i := range views {
			of = append(of, i)
		}
	}
	var groups [][]int
	where := map[string]int{}
	for _, i := range of {
		k := key(views[i])
		g, known := where[k]
		if !known {
			g = len(groups)
			where[k], groups = g, append(groups, nil)
		}
		groups[g] = append(groups[g], i)
	}
	return groups
}

func groupName(v workplace.PointView) string {
	if v.Kind == "commit" {
		return "commits"
	}
	return "session " + v.SessionID
}

func sessionHeading(v workplace.PointView) string {
	switch {
	case v.Kind == "commit":
		return "Commits with an agent's work (their conversation)"
	case v.SessionID == "":
		return "Made by hand"
	}
	heading := fmt.Sprintf("%s session %s", cliui.ShownLine(string(cliui.AgentOr(v.Agent))), cliui.ShownSession(v.SessionID))
	if v.Prompt != "" {
		heading += fmt.Sprintf("  “%s”", cliui.ShortLine(v.Prompt, cliui.PromptRunes))
	}
	return heading
}

func pickRow(v workplace.PointView) term.Row {
	text := fmt.Sprintf("%s  %s  ", v.Date.Local().Format("01-02 15:04"), cliui.ShortID(v.ID))
	switch v.Kind {
	case "task", "label", "saved", "rewind", "auto", "watch":
		text += "[" + v.Kind + "] "
	}
	note := "no files"
	if v.Files > 0 {
		note = fmt.Sprintf("%s +%d -%d", cliui.Count(v.Files, "file"), v.Insertions, v.Deletions)
	}
	return term.Row{Text: text + v.What(), Note: note}
}

// previewPoint returns what going back to a point would do, and the lines that would change.
func previewPoint(ctx context.Context, env *cliui.Env, wp *workplace.Workplace, point step.RewindPoint, scope condense.Scope) []term.Cell {
	t := env.Terminal()
	text, patch := "", []byte(nil)
	switch {
	case rewind.IsCommit(point) && !scope.SkipConversation:
		plan, err := planLogs(ctx, wp, point)
		if text = plan.text(); err != nil {
			text = err.Error()
		}
	default:
		plan, err := rewind.PlanRewind(ctx, wp.Engine, point, scope)
		if err != nil {
			text = err.Error()
			break
		}
		text = rewindlib.PlanText(plan, term.Terminal{})
		if patch, err = rewindlib.PlanPatch(ctx, wp, plan); err != nil {
			text += err.Error()
		}
	}
	var cells []term.Cell
	for line := range strings.Lines(text) {
		cells = append(cells, term.Cell{Text: cliui.ShownLine(strings.TrimSuffix(line, "\n"))})
	}
	if len(patch) > 0 {
		cells = append(cells, term.Cell{})
	}
	return append(cells, workplace.PatchCells(patch, t)...)
}

// chooseAction asks for the action at a point, unless flags choose it. It sets o.asked so that
// the person is not asked twice.
func chooseAction(ctx context.Context, env *cliui.Env, point step.RewindPoint, o *rewindOptions, scope *condense.Scope) (rewindAction, error) {
	s := o.scope
	chosen := s.conversation || s.code || s.both || len(o.paths) > 0
	var question string
	var options []string
	switch {
	case point.IsLogsOnly && !s.code:
		question, options = "This point is a commit. What should be restored?", []string{
			"The conversation only", "The conversation, and the branch reset to the commit (what is not committed is saved first)", "Nothing",
		}
	case rewind.IsCommit(point) && !s.code:
		return moveBranch, nil
	case chosen:
		return restoreFiles, nil
	default:
		question, options = "What should go back to "+cliui.ShortID(point.ID)+"?", []string{
			"Files and conversation", "Only the files", "Only the conversation", "Nothing",
		}
	}
	i, err := env.Terminal().Select(ctx, question, options)
	switch {
	case err != nil:
		return 0, err
	case i == len(options)-1:
		return 0, unchanged(env)
	}
	o.asked = true
	if point.IsLogsOnly && !s.code {
		return []rewindAction{restoreLogs, resetBranch}[i], nil
	}
	scope.SkipConversation, scope.SkipCode = i == 1, i == 2
	return restoreFiles, nil
}
