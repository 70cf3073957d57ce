package maintaincmd

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"entire/internal/cli/cliui"
	"entire/internal/cli/workplace"
	"entire/strategy/maintain"
)

func doctorCommand(env *cliui.Env) *cobra.Command {
	var fix, asJSON bool
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Find problems, and repair them",
		Long: `Find problems: stuck sessions, commits whose checkpoint is missing, checkpoints
that cannot be read, damaged compressed conversations, hooks that do not call
entire, interrupted work, an index that names lost trees. The command reads
everything that is stored, which may take a while.

It changes nothing without --fix, and says what --fix would do. It exits with 1
while problems remain.`,
		Example: `  entire doctor
  entire doctor --fix`,
		Args: cliui.NoArguments,
		RunE: func(cmd *cobra.Command, _ []string) error { return runDoctor(cmd.Context(), env, fix, asJSON) },
	}
	f := cmd.Flags()
	f.BoolVar(&fix, "fix", false, "repair what can be repaired")
	f.BoolVarP(&fix, "force", "f", false, "the same as --fix")
	f.BoolVar(&asJSON, "json", false, "print a JSON object")
	return cmd
}

// A diagnosis is a finding and its repair.
type diagnosis struct {
	maintain.Finding
	Fixed bool   `json:"fixed"`
	Done  string `json:"done,omitempty"`
	Error string `json:"error,omitempty"` // why the repair failed
}

// problem reports whether the finding is still a problem.
func (d diagnosis) problem() bool { return !d.Note && !d.Fixed }

type doctorView struct {
	SetUp    bool        `json:"set_up"`
	Findings []diagnosis `json:"findings"`
	Problems int         `json:"problems"` // number that remain
}

func runDoctor(ctx context.Context, env *cliui.Env, fix, asJSON bool) error {
	wp, settingsErr, err := workplace.OpenHere(ctx, env, cliui.Failf("run this inside a repository, or make one with `git init`", "not a git repository"))
	if err != nil {
		return err
	}
	defer wp.Close()
	v := doctorView{SetUp: wp.Place.SetUp, Findings: []diagnosis{}}
	if v.SetUp {
		progress, done := env.Progress()
		found := append(examineSetUp(ctx, env, wp, settingsErr), maintain.Examine(ctx, wp.Engine, progress)...)
		found = append(found, examineKept(ctx, env, wp, progress)...)
		done()
		if ctx.Err() != nil {
			return ctx.Err()
		}
		for _, f := range found {
			d := diagnosis{Finding: f}
			if fix {
				d.mend(ctx)
			}
			if d.problem() {
				v.Problems++
			}
			v.Findings = append(v.Findings, d)
		}
	}
	if asJSON {
		err = env.PrintJSON(v)
	} else {
		_, err = fmt.Fprint(env.Out, v.text(env, fix))
	}
	if err == nil && v.Problems > 0 {
		err = cliui.ErrTold
	}
	return err
}

func (d *diagnosis) mend(ctx context.Context) {
	if d.Mend == nil {
		return
	}
	done, err := d.Mend(ctx)
	if err != nil {
		d.Error = cliui.OneLine(err.Error())
		return
	}
	d.Fixed, d.Done = true, done
}

func (v doctorView) text(env *cliui.Env, fix bool) string {
	if !v.SetUp {
		return "○ not set up (run `entire enable` to get started)\n"
	}
	var b strings.Builder
	v.writeStuck(&b, env.Now())
	v.writeSection(&b, "Problems", func(d diagnosis) bool { return d.Stuck == nil && !d.Note }, fix)
	v.writeSection(&b, "Notes", func(d diagnosis) bool { return d.Stuck == nil && d.Note }, fix)
	mendable := 0
	for _, d := range v.Findings {
		if d.Mend != nil {
			mendable++
		}
	}
	switch {
	case v.Problems == 0:
		b.WriteString("\nNo problems remain.\n")
	case fix || mendable == 0:
		fmt.Fprintf(&b, "\n%s left that cannot be repaired from here.\n", cliui.Count(v.Problems, "problem"))
	default:
		fmt.Fprintf(&b, "\n%s. Run `entire doctor --fix` to repair what can be repaired.\n", cliui.Count(v.Problems, "problem"))
	}
	return b.String()
}

func (v doctorView) writeStuck(b *strings.Builder, now time.Time) {
	n := 0
	for _, d := range v.Findings {
		if d.Stuck != nil {
			n++
		}
	}
	if n == 0 {
		b.WriteString("No stuck sessions found.\n")
		return
	}
	fmt.Fprintf(b, "Found %s:\n", cliui.Count(n, "stuck session"))
	for _, d := range v.Findings {
		if d.Stuck == nil {
			continue
		}
		s := d.Stuck
		last, branch := "unknown", "not found"
		if s.LastInteraction != nil {
			last = cliui.Ago(now.Sub(*s.LastInteraction))
		}
		if s.HasBranch {
			branch = "exists (" + s.Branch + ")"
		}
		fmt.Fprintf(b, "\n  Session: %s\n  Phase: %s\n  Reason: %s\n  Agent: %s\n  Last interaction: %s\n  Shadow branch: %s\n  Checkpoints: %d, Files touched: %d\n",
			s.ID, s.Phase, d.Why, cliui.AgentOr(s.Agent), last, branch, s.Checkpoints, s.Files)
		d.writeEnd(b, "  ")
	}
}

func (v doctorView) writeSection(b *strings.Builder, title string, want func(diagnosis) bool, fix bool) {
	first := true
	for _, d := range v.Findings {
		if !want(d) {
			continue
		}
		if first {
			fmt.Fprintf(b, "\n%s:\n", title)
			first = false
		}
		fmt.Fprintf(b, "  %s: ", d.Kind)
		if d.Subject != "" {
			fmt.Fprintf(b, "%s: ", cliui.ShownName(d.Subject))
		}
		fmt.Fprintln(b, cliui.OneLine(d.Why))
		d.writeEnd(b, "    ")
	}
}

// writeEnd says what the repair did or would do.
func (d diagnosis) writeEnd(b *strings.Builder, indent string) {
	switch {
	case d.Fixed:
		fmt.Fprintf(b, "%s-> %s\n", indent, d.Done)
		return
	case d.Error != "":
		fmt.Fprintf(b, "%s-> Skipped: %s\n", indent, d.Error)
	case d.Fix != "":
		fmt.Fprintf(b, "%s--fix would %s\n", indent, d.Fix)
	}
	if d.Hint != "" {
		fmt.Fprintf(b, "%shint: %s\n", indent, d.Hint)
	}
}
