package statuslib

import (
	"context"
	"fmt"
	"strings"
	"time"

	"entire/internal/cli/cliui"
	"entire/internal/cli/workplace"
	"entire/strategy/maintain"
)

// A Finding is what doctor found, and its repair.
type Finding struct {
	maintain.Finding
	Fixed bool   `json:"fixed"`
	Done  string `json:"done,omitempty"`
	Error string `json:"error,omitempty"` // why the repair failed
}

// problem reports whether the finding is still a problem.
func (d Finding) problem() bool { return !d.Note && !d.Fixed }

// A Diagnosis is what doctor found; its JSON form is what `entire doctor --json` prints.
type Diagnosis struct {
	SetUp    bool      `json:"set_up"`
	Findings []Finding `json:"findings"`
	Problems int       `json:"problems"` // number that remain
}

// Diagnose finds the problems of a repository; settingsErr is the error of reading its settings. It
// reads everything that is stored. With fix it repairs what can be repaired.
func Diagnose(ctx context.Context, env *cliui.Env, wp *workplace.Workplace, settingsErr error, fix bool, progress maintain.Progress) (*Diagnosis, error) {
	v := &Diagnosis{SetUp: wp.Place.SetUp, Findings: []Finding{}}
	if !v.SetUp {
		return v, nil
	}
	found := append(examineSetUp(ctx, env, wp, settingsErr), maintain.Examine(ctx, wp.Engine, progress)...)
	found = append(found, examineKept(ctx, env, wp, progress)...)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	for _, f := range found {
		d := Finding{Finding: f}
		if fix {
			d.mend(ctx)
		}
		if d.problem() {
			v.Problems++
		}
		v.Findings = append(v.Findings, d)
	}
	return v, nil
}

func (d *Finding) mend(ctx context.Context) {
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

// Text returns the diagnosis as text for people.
func (v Diagnosis) Text(env *cliui.Env, fix bool) string {
	if !v.SetUp {
		return "○ not set up (run `entire enable` to get started)\n"
	}
	var b strings.Builder
	v.writeStuck(&b, env.Now())
	v.writeSection(&b, "Problems", func(d Finding) bool { return d.Stuck == nil && !d.Note })
	v.writeSection(&b, "Notes", func(d Finding) bool { return d.Stuck == nil && d.Note })
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

func (v Diagnosis) writeStuck(b *strings.Builder, now time.Time) {
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

func (v Diagnosis) writeSection(b *strings.Builder, title string, want func(Finding) bool) {
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
func (d Finding) writeEnd(b *strings.Builder, indent string) {
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
