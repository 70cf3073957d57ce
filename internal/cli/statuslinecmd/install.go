package statuslinecmd

import (
	"errors"
	"fmt"

	"entire/agent"
	"entire/internal/cli/agentlib"
	"entire/internal/cli/cliui"
)

// install adds the line to the settings of the agents that this person uses and that show one, or
// removes it from them. Another program's line stays.
func install(env *cliui.Env, add bool) error {
	list := agentlib.StatusLineShowers(env)
	if len(list) == 0 {
		return cliui.Failf("`entire statusline --help` shows how a shell's prompt shows it", "no agent that shows a status line is used here")
	}
	for _, ag := range list {
		edit, err := agentlib.PlanStatusLine(env, ag, add)
		if errors.Is(err, agent.ErrForeignStatusLine) {
			return cliui.Failf("let its script also print what `"+agentlib.StatusLineCommand+"` prints", "%s shows another status line, which stays", ag.Type())
		}
		if err == nil && edit.Count > 0 {
			err = edit.Apply()
		}
		if err != nil {
			return err
		}
		said := map[bool]string{true: "shows the status line", false: "does not show the status line any more"}[add]
		if edit.Count == 0 {
			said = map[bool]string{true: "shows the status line already", false: "does not show the status line"}[add]
		}
		fmt.Fprintf(env.Out, "%s %s (~/%s).\n", ag.Type(), said, ag.(agent.StatusLineShower).StatusLineFile().Path)
	}
	return nil
}
