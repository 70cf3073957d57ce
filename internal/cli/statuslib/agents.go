package statuslib

import (
	"context"
	"fmt"
	"strings"
	"time"

	"entire/internal/cli/agentlib"
	"entire/internal/cli/cliui"
	"entire/internal/cli/workplace"
	"entire/internal/config"
	"entire/internal/term"
	"entire/strategy/maintain"
)

// kindAgent is the kind of a problem of an agent whose work was not captured.
const kindAgent = "agent"

// kindPlugin is the kind of a problem of a plug-in that does not work.
const kindPlugin = "plug-in"

// standings returns how the agents stand in a worktree, and what is wrong with plug-ins.
func standings(ctx context.Context, env *cliui.Env, wp *workplace.Workplace) ([]agentlib.Standing, []error) {
	states, _, err := wp.Store.List(ctx)
	if err != nil {
		states = nil // reported by others
	}
	return agentlib.Look(ctx, agentlib.Question{Env: env, Place: wp.Place, States: states, Kept: agentlib.KeptUntil(ctx, env, wp.Repo.Top)})
}

// readAgents finds the agents with hooks here, and those that work here without being captured.
func (v *Status) readAgents(ctx context.Context, env *cliui.Env, wp *workplace.Workplace) {
	all, broken := standings(ctx, env, wp)
	for _, err := range broken {
		v.problem(kindPlugin, "", err.Error(), "docs/agents.md has the protocol; `strategy_options.agents.plugins` in "+cliui.SettingsName(config.Local)+" allows it")
	}
	for _, s := range all {
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
func (v *Status) writeAgents(b *strings.Builder, t term.Terminal, now time.Time) {
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
	all, broken := standings(ctx, env, wp)
	for _, err := range broken {
		out = append(out, maintain.Finding{Kind: kindPlugin, Why: err.Error()})
	}
	for _, s := range all {
		if s.Alarm != nil {
			out = append(out, maintain.Finding{Kind: kindAgent, Subject: string(s.Agent.Type()), Why: s.Alarm.Text(env.Now()), Hint: s.Alarm.Hint})
		}
	}
	return out
}
