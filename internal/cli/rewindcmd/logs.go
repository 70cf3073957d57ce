package rewindcmd

import (
	"context"
	"fmt"
	"strings"

	"entire/agent"
	"entire/internal/cli/cliui"
	"entire/internal/cli/workplace"
	"entire/strategy/autocommit"
	"entire/strategy/step"
	"entire/strategy/transcript"
)

// A plannedLogs is what going back to a commit's point would do, and its JSON form.
type plannedLogs struct {
	Point    step.RewindPoint `json:"point"`
	Reset    bool             `json:"reset"` // the branch would move too
	Sessions []plannedLog     `json:"sessions"`
	Skipped  []string         `json:"skipped"` // a line for each session, with the reason
}

// A plannedLog is a transcript that would be written.
type plannedLog struct {
	SessionID string          `json:"session_id"`
	Agent     agent.AgentType `json:"agent"`
	Path      string          `json:"path"`
	Replaces  bool            `json:"replaces"` // an existing transcript, which stays under another name
	Resume    string          `json:"resume_command"`
}

// planLogs returns what RestoreLogs would do with the point.
func planLogs(ctx context.Context, wp *workplace.Workplace, point step.RewindPoint) (plannedLogs, error) {
	plan := plannedLogs{Point: point, Sessions: []plannedLog{}, Skipped: []string{}}
	found, err := transcript.PlanLogs(ctx, wp.Engine, point, false)
	if err != nil {
		return plan, err
	}
	plan.Skipped = append(plan.Skipped, found.Skipped...)
	for _, log := range found.Sessions {
		plan.Sessions = append(plan.Sessions, plannedLog{log.SessionID, log.Agent, log.Path, log.Replaces, log.ResumeCommand})
	}
	return plan, nil
}

// dryRun shows what a commit's point would restore, and changes nothing.
func dryRun(ctx context.Context, env *cliui.Env, wp *workplace.Workplace, point step.RewindPoint, o rewindOptions) error {
	plan, err := planLogs(ctx, wp, point)
	if err != nil {
		return err
	}
	plan.Reset = o.reset
	if o.json {
		return env.PrintJSON(plan)
	}
	_, err = fmt.Fprint(env.Out, plan.text())
	return err
}

// dryMove shows what moving the branch back to one of its commits would do.
func dryMove(ctx context.Context, env *cliui.Env, wp *workplace.Workplace, point step.RewindPoint, o rewindOptions) error {
	if err := autocommit.Uncommitted(ctx, wp.Engine); err != nil {
		return err
	}
	if o.json {
		return env.PrintJSON(plannedLogs{Point: point, Reset: true, Sessions: []plannedLog{}, Skipped: []string{}})
	}
	_, err := fmt.Fprintf(env.Out, "Would move the branch back to %s (%s), and the conversation with it.\n", cliui.ShortID(point.ID), point.Message)
	return err
}

func (p plannedLogs) text() string {
	var b strings.Builder
	if p.Reset {
		fmt.Fprintf(&b, "Would save uncommitted changes and reset the branch to %s (%s).\n", cliui.ShortID(p.Point.ID), p.Point.Message)
	}
	for _, s := range p.Sessions {
		fmt.Fprintf(&b, "Would write the transcript of session %s to: %s\n", s.SessionID, s.Path)
		if s.Replaces {
			b.WriteString("  The existing one would be kept under another name.\n")
		}
	}
	for _, skipped := range p.Skipped {
		fmt.Fprintf(&b, "warning: %s\n", skipped)
	}
	if !p.Reset {
		b.WriteString("No file of the worktree would change.\n")
	}
	return b.String()
}
