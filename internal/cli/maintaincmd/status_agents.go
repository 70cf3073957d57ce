package maintaincmd

import (
	"context"
	"fmt"
	"strings"
	"time"

	"entire/internal/cli/agentlib"
	"entire/internal/cli/cliui"
	"entire/internal/cli/workplace"
	"entire/internal/term"
	"entire/strategy/maintain"
)

// kindAgent is the kind of a problem of an agent whose work was not captured.
const kindAgent = "agent"

// standings returns how the agents stand in a worktree.
func standings(ctx context.Context, env *cliui.Env, wp *workplace.Workplace) []agentlib.Standing {
	states, _, err := wp.Store.List(ctx)
	if err != nil {
		states = nil // reported by others
	}
	return agentlib.Look(agentlib.Question{Env: env, Place: wp.Place, States: states})
}

// readAgents finds the agents with hooks here, and those that work here without being captured.
func (v *statusView) readAgents(ctx context.Context, env *cliui.Env, wp *workplace.Workplace) {
	for _, s := range standings(ctx, env, wp) {
		if s.Installed {
			v.Agents = append(v.Agents, string(s.Agent.Type()))
		}
		if s.Installed || s.Alarm != nil {
			v.Standings = append(v.Standings, s.View())
		}
		if s.Alarm != nil {
			v.problem(kindAgent, string(s.Agent.Type()), s.Alarm.Text(env.Now()), s.Alarm.Hint)
		}
	}
}

// writeAgents writes a line for each agent with hooks here.
func (v *statusView) writeAgents(b *strings.Builder, t term.Terminal, now time.Time) {
	first := true
	for _, a := range v.Standings {
		if !a.Installed {
			continue
		}
		if first {
			fmt.Fprintf(b, "\n%s\n", t.Styled(term.Strong, "Agents:"))
			first = false
		}
		said := "hooks installed, never heard"
		switch {
		case a.LastEvent != nil:
			said = "hooks installed, heard " + cliui.Ago(now.Sub(*a.LastEvent))
		case a.Trust != "":
			said += ": " + a.Trust
		}
		fmt.Fprintf(b, "  %s: %s\n", cliui.ShownLine(a.Agent), said)
	}
}

// examineWork finds agents whose work here was not captured.
func examineWork(ctx context.Context, env *cliui.Env, wp *workplace.Workplace) []maintain.Finding {
	var out []maintain.Finding
	for _, s := range standings(ctx, env, wp) {
		if s.Alarm != nil {
			out = append(out, maintain.Finding{Kind: kindAgent, Subject: string(s.Agent.Type()), Why: s.Alarm.Text(env.Now()), Hint: s.Alarm.Hint})
		}
	}
	return out
}
