package setupcmd

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"entire/agent"
	"entire/internal/cli/agentlib"
	"entire/internal/cli/cliui"
)

// offerStatusLine adds the status line to the agents among list that show one, if the option asks for it
// or a person agrees. Another program's status line stays.
func offerStatusLine(ctx context.Context, env *cliui.Env, list []agent.Agent, wanted bool) error {
	t := env.Terminal()
	if !wanted && !t.Interactive {
		return nil
	}
	for _, ag := range agentlib.StatusLineShowers(env) {
		if !slices.ContainsFunc(list, func(a agent.Agent) bool { return a.Name() == ag.Name() }) {
			continue
		}
		edit, err := agentlib.PlanStatusLine(env, ag, true)
		if errors.Is(err, agent.ErrForeignStatusLine) {
			if wanted {
				fmt.Fprintf(env.Err, "warning: %s shows another status line, which stays; its script may print what `%s` prints\n", ag.Type(), agentlib.StatusLineCommand)
			}
			continue
		}
		if err != nil || edit.Count == 0 {
			return err
		}
		if !wanted {
			yes, err := t.Confirm(ctx, fmt.Sprintf("Show in %s whether turns are captured?", ag.Type()),
				"A status line, in all your repositories. `entire statusline --uninstall` removes it.")
			if err != nil || !yes {
				return nil // the repository is set up; this was an offer
			}
		}
		if err := edit.Apply(); err != nil {
			return err
		}
		fmt.Fprintf(env.Out, "✓ %s shows the status line (~/%s)\n", ag.Type(), ag.(agent.StatusLineShower).StatusLineFile().Path)
	}
	return nil
}
