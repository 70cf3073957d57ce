package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"entire/checkpoint/shadow"
	"entire/internal/git"
	"entire/internal/term"
	"entire/strategy/rewind"
	"entire/strategy/step"
	"entire/strategy/worktree"
)

func (w *world) checkpointsShowCommand() *cobra.Command {
	var o checkpointsOptions
	cmd := &cobra.Command{
		Use:   "show ID",
		Short: "Show one point: when and why it was made, and what it changed",
		Long: `Show one point: when and why it was made, and what it changed against the one
before it. An ID may be shortened to seven digits.`,
		Example: `  entire checkpoints show bfe1ee2
  entire checkpoints show bfe1ee2 --diff`,
		Args: oneArgument,
		RunE: func(cmd *cobra.Command, args []string) error { return w.checkpointsShow(cmd.Context(), args[0], o) },
	}
	f := cmd.Flags()
	f.BoolVarP(&o.diff, "diff", "p", false, "with the lines that changed")
	f.BoolVar(&o.json, "json", false, "print a JSON object")
	f.BoolVar(&o.noPager, "no-pager", false, "never use a pager")
	cmd.ValidArgsFunction = w.completePoints(1)
	return cmd
}

// A changedFile is a file that differs between two trees.
type changedFile struct {
	Path       string `json:"path"`
	Action     string `json:"action"` // "create", "write", "mode", "remove"
	Insertions int    `json:"insertions"`
	Deletions  int    `json:"deletions"` // both -1 for binary
}

func changedFiles(changes []git.LineCount) []changedFile {
	files := []changedFile{}
	for _, c := range changes {
		f := changedFile{strings.ToValidUTF8(c.Path, "\uFFFD"), "write", c.Added, c.Removed}
		switch {
		case c.NewMode == 0:
			f.Action = "remove"
		case c.OldMode == 0:
			f.Action = "create"
		case c.Old == c.New:
			f.Action = "mode"
		}
		files = append(files, f)
	}
	return files
}

func (w *world) checkpointsShow(ctx context.Context, name string, o checkpointsOptions) error {
	wp, err := w.guarded(ctx)
	if err != nil || wp == nil {
		return err
	}
	defer wp.close()
	point, err := findPoint(ctx, wp, name)
	if err != nil {
		return err
	}
	views, err := viewPoints(ctx, wp, []step.RewindPoint{point})
	if err != nil {
		return err
	}
	v := views[0]
	gaps, more, err := rewind.PointGaps(ctx, wp.engine, point)
	if err != nil {
		return err
	}
	if o.json {
		return w.printJSON(struct {
			pointView
			Changes []changedFile         `json:"changes"`
			Gaps    []worktree.Uncaptured `json:"not_captured"`
			More    int                   `json:"not_captured_more,omitempty"`
		}{v, changedFiles(v.changes), notNil(gaps), more})
	}
	text := v.text(w.screen(), name, gaps, more)
	if o.diff {
		pairs, err := madeFrom(ctx, wp, []step.RewindPoint{point})
		if err != nil {
			return err
		}
		patch, err := patchOf(ctx, wp, pairs[0], v.changes)
		if err != nil {
			return err
		}
		text += "\n" + w.patchText(patch)
	}
	return w.show(ctx, text, o.noPager)
}

// findPoint returns the point that a name means.
func findPoint(ctx context.Context, wp *workplace, name string) (step.RewindPoint, error) {
	point, err := wp.pointNamed(ctx, name)
	if err != nil {
		return point, withHint(err, "`entire checkpoints list` shows the points")
	}
	return point, nil
}

// kindWords describe the kinds of points in a sentence.
var kindWords = map[string]string{
	"turn": "the end of a turn", "task": "a subagent's task", "label": "made by hand", "commit": "a commit with an agent's work",
	"rewind": "the worktree after a rewind", "saved": "the saved worktree",
}

func (v pointView) text(t term.Terminal, name string, gaps []worktree.Uncaptured, more int) string {
	var b strings.Builder
	label := func(name, format string, args ...any) {
		fmt.Fprintf(&b, "%s %s\n", t.Styled(term.Strong, name+":"), fmt.Sprintf(format, args...))
	}
	switch {
	case v.Checkpoint == "":
		label("Point", "%s", shortID(v.ID))
	case strings.HasPrefix(v.Checkpoint, name):
		label("Checkpoint", "%s", v.Checkpoint)
		label("Commit", "%s", shortID(v.ID))
	default:
		label("Commit", "%s", shortID(v.ID))
		label("Checkpoint", "%s", v.Checkpoint)
	}
	if v.Label != "" {
		label("Label", "%s", shownLine(v.Label))
	}
	kind := kindWords[v.Kind]
	if v.Kind == "saved" || v.Kind == "auto" || v.Kind == "rewind" || v.Why == shadow.WhyInterrupted {
		kind += fmt.Sprintf(" (%s)", shownLine(v.Why))
	}
	label("Kind", "%s", kind)
	label("Made", "%s", v.Date.Format("2006-01-02 15:04:05 -0700"))
	if v.SessionID != "" {
		turn := ""
		if v.Turn > 0 {
			turn = fmt.Sprintf(", turn %d", v.Turn)
		}
		label("Session", "%s (%s)%s", shownLine(v.SessionID), shownLine(string(agentOr(v.Agent))), turn)
	}
	for _, f := range []struct{ name, text string }{
		{"Prompt", v.Prompt}, {"Message", v.Message}, {"After message", v.MessageID}, {"Task", v.ToolUseID},
	} {
		if f.text != "" && !(f.name == "Message" && v.Label != "") {
			label(f.name, "%s", shownLine(f.text))
		}
	}
	switch on := shortID(v.Head); {
	case on != "" && v.Branch != "":
		label("On", "%s (%s)", on, shownLine(v.Branch))
	case on != "":
		label("On", "%s", on)
	}
	if v.TakenBy != "" {
		label("Taken by", "commit %s", strings.TrimSpace(shortID(v.TakenBy)+"  "+v.TakenIn))
	}
	b.WriteString("\n" + statText(v.changes, t))
	writeUncaptured(&b, gaps, nil)
	if more > 0 {
		fmt.Fprintf(&b, "  Not captured: %d more, which the list does not name\n", more)
	}
	how := "To go back to it: entire rewind --to " + shortID(v.ID)
	if v.IsLogsOnly {
		how = "To restore its conversation: entire rewind --to " + shortID(v.ID) + "\nTo restore its files: entire restore " + shortID(v.ID)
	}
	fmt.Fprintf(&b, "\n%s\n", how)
	return b.String()
}

// statText lists changed files for people.
func statText(changes []git.LineCount, t term.Terminal) string {
	if len(changes) == 0 {
		return "No file changed.\n"
	}
	var b strings.Builder
	added, removed := 0, 0
	marks := map[string]string{"create": "A", "write": "M", "mode": "M", "remove": "D"}
	for i, f := range changedFiles(changes) {
		mark := marks[f.Action]
		switch mark {
		case "A":
			mark = t.Styled(term.Good, mark)
		case "D":
			mark = t.Styled(term.Bad, mark)
		}
		note := lineCounts(f.Insertions, f.Deletions)
		if f.Action == "mode" {
			note = fmt.Sprintf(" (mode %o to %o)", changes[i].OldMode, changes[i].NewMode)
		}
		fmt.Fprintf(&b, "  %s %s%s\n", mark, shownName(f.Path), t.Styled(term.Faint, note))
		added, removed = added+max(f.Insertions, 0), removed+max(f.Deletions, 0)
	}
	fmt.Fprintf(&b, "%s changed, +%d -%d\n", count(len(changes), "file"), added, removed)
	return b.String()
}
