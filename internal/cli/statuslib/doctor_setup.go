package statuslib

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"entire/agent"
	"entire/agent/agents"
	"entire/hooks"
	"entire/internal/cli/agentlib"
	"entire/internal/cli/cliui"
	"entire/internal/cli/workplace"
	"entire/internal/config"
	"entire/strategy/maintain"
)

// examineSetUp checks what `entire enable` sets up: settings, agents' hooks and git hooks. It
// checks no hooks while Entire is disabled.
func examineSetUp(ctx context.Context, env *cliui.Env, wp *workplace.Workplace, settingsErr error) []maintain.Finding {
	var out []maintain.Finding
	var wrong config.WrongValues
	if errors.As(settingsErr, &wrong) {
		for _, v := range wrong {
			out = append(out, maintain.Finding{Kind: "settings", Subject: cliui.ShownPath(wp.Repo.Top, v.Path),
				Why: v.Why(), Hint: "correct the file"})
		}
	} else if settingsErr != nil {
		out = append(out, maintain.Finding{Kind: "settings", Why: settingsErr.Error(), Hint: cliui.HintOf(cliui.WithHint(settingsErr, "correct the file, or move it away and run `entire enable`"))})
	}
	if !wp.Settings.Enabled {
		return out
	}
	for _, u := range unfollowedHere(env, wp.Place.Settings) {
		out = append(out, maintain.Finding{Kind: "settings", Subject: cliui.ShownPath(wp.Repo.Top, u.Path),
			Why: u.Key + " is not followed: " + u.Why, Hint: u.Hint, Note: !u.Loses})
	}
	out = append(out, examineAgents(wp)...)
	out = append(out, examineWork(ctx, env, wp)...)
	if f := examineGitHooks(ctx, env, wp); f != nil {
		out = append(out, *f)
	}
	return out
}

func examineAgents(wp *workplace.Workplace) []maintain.Finding {
	var out []maintain.Finding
	installed := 0
	for _, ag := range agents.All() {
		edit, err := workplace.PlanAgentHooks(wp.Repo.Top, ag, agent.InstallOptions{LocalDev: wp.Settings.LocalDev, Tools: workplace.ToolHooks(wp.Settings)})
		if err != nil {
			out = append(out, maintain.Finding{Kind: "agent-hooks", Subject: string(ag.Type()), Why: err.Error(), Hint: cliui.HintOf(cliui.ToCorrect("%w", err))})
			continue
		}
		removable, err := workplace.PlanAgentRemoval(wp.Repo.Top, ag)
		switch {
		case err != nil || removable.Count == 0: // the agent is not used here
		case edit.Count == 0:
			installed++
		default:
			installed++
			out = append(out, maintain.Finding{Kind: "agent-hooks", Subject: string(ag.Type()),
				Why: fmt.Sprintf("%s missing in %s: Entire does not see all that the agent does", cliui.Count(edit.Count, "hook"), ag.Profile().HookFile()),
				Fix: "add what is missing", Mend: func(context.Context) (string, error) { return "added", edit.Apply() }})
		}
	}
	// The generic agent has no file of hooks: it calls by itself.
	calls := func(ag agent.Agent) bool {
		return ag.Profile().HookFile() == "" && agentlib.HasHeard(wp.Place, ag.Name())
	}
	if installed == 0 && !slices.ContainsFunc(agents.All(), calls) {
		out = append(out, maintain.Finding{Kind: "agent-hooks", Why: "no agent's hooks are installed here: turns are not captured", Hint: "entire enable"})
	}
	return out
}

func examineGitHooks(ctx context.Context, env *cliui.Env, wp *workplace.Workplace) *maintain.Finding {
	target, err := hooks.Locate(ctx, wp.Repo)
	if err != nil {
		return &maintain.Finding{Kind: "git-hooks", Why: err.Error()}
	}
	f := &maintain.Finding{Kind: "git-hooks", Subject: cliui.ShownPath(wp.Repo.Top, target.Dir)}
	switch hooks.Installed(target) {
	case hooks.All:
		if f.Why = workplace.HooksFindProgram(env, wp, target); f.Why == "" {
			return nil
		}
		f.Fix = "record where this program is"
		f.Mend = func(ctx context.Context) (string, error) {
			_, err := hooks.Install(ctx, target, workplace.HookOptions(env, wp))
			return "recorded", err
		}
		return f
	case hooks.None:
		f.Why = "git's hooks are not installed: commits are not linked"
	case hooks.Partial:
		f.Why = "some of git's hooks are missing or do not call entire: commits may not be linked"
	case hooks.Foreign:
		f.Why = target.Outside() + " and not every hook there calls entire"
		f.Hint = "`entire enable git-hook` says what to add"
		return f
	}
	if manager := hooks.Detect(target); manager != "" {
		f.Why += fmt.Sprintf(" (%s writes hooks here)", manager)
	}
	f.Fix = "install them, and still run the existing ones"
	f.Mend = func(ctx context.Context) (string, error) {
		report, err := hooks.Install(ctx, target, workplace.HookOptions(env, wp))
		for _, warning := range report.Warnings {
			fmt.Fprintf(env.Err, "warning: %s\n", warning)
		}
		if err == nil && report.Instruct != "" {
			err = errors.New(strings.TrimSpace(report.Instruct))
		}
		return "installed", err
	}
	return f
}
