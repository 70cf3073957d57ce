package agentcmd

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"entire/agent"
	"entire/internal/cli/agentlib"
	"entire/internal/cli/cliui"
	"entire/internal/cli/workplace"
	"entire/internal/config"
	"entire/internal/plugin"
	"entire/internal/term"
)

func checkCommand(env *cliui.Env) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "check NAME",
		Short: "Try an agent's adapter on this repository",
		Long: `Try an agent's adapter on this repository: whether its hooks are installed and can
be removed without a trace, whether it refuses what it cannot read, whether the
agent and its hooks' program are found, and when the agent was last heard.

It changes nothing: hook files are edited in memory. It exits with 1 if a check
fails; a note is no failure.`,
		Example:           "  entire agent check claude-code",
		Args:              cliui.OneArgument,
		ValidArgsFunction: completeNames(env, 1),
		RunE:              func(cmd *cobra.Command, args []string) error { return check(cmd.Context(), env, args[0], asJSON) },
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print a JSON object")
	return cmd
}

// The results of a check.
const (
	passed = "ok"
	noted  = "note"
	failed = "failed"
)

// A checked is one check and its result.
type checked struct {
	Check  string `json:"check"`
	Result string `json:"result"`
	Why    string `json:"why,omitempty"`
	Hint   string `json:"hint,omitempty"`
}

// A checkView is what check shows; its JSON form is what --json prints.
type checkView struct {
	Name   string    `json:"name"`
	Agent  string    `json:"agent"`
	Passed bool      `json:"passed"`
	Checks []checked `json:"checks"`
}

func (v *checkView) add(check, result, why, hint string) {
	v.Checks = append(v.Checks, checked{check, result, why, hint})
	v.Passed = v.Passed && result != failed
}

func check(ctx context.Context, env *cliui.Env, name string, asJSON bool) error {
	p, err := workplace.PlaceHere(env)
	if err != nil {
		return err
	}
	ag, err := agentlib.Lookup(ctx, env, p, name)
	if err != nil {
		return err
	}
	settings := config.Settings{}
	if p.SetUp {
		if settings, err = workplace.LoadSettings(p); err != nil {
			return err
		}
	}
	v := checkView{Name: string(ag.Name()), Agent: string(ag.Type()), Passed: true, Checks: []checked{}}
	if a, ok := ag.(*plugin.Adapter); ok {
		v.checkPlugin(ctx, a, p.Top, env.Home())
	} else {
		v.checkPayloads(ag, env.Now())
	}
	v.checkHookFiles(p.Top, ag, agent.InstallOptions{LocalDev: settings.LocalDev, Tools: workplace.ToolHooks(settings)})
	v.checkStanding(env, p, agentlib.LookAt(question(ctx, env, p), ag))
	if asJSON {
		err = env.PrintJSON(v)
	} else {
		v.print(env)
	}
	if err == nil && !v.Passed {
		err = cliui.ErrTold
	}
	return err
}

func (v *checkView) print(env *cliui.Env) {
	t := env.Screen()
	styles := map[string]term.Style{passed: term.Good, noted: term.Faint, failed: term.Bad}
	for _, c := range v.Checks {
		fmt.Fprintf(env.Out, "%s  %s", t.Styled(styles[c.Result], fmt.Sprintf("%-6s", c.Result)), c.Check)
		if c.Why != "" {
			fmt.Fprintf(env.Out, ": %s", cliui.ShownLine(c.Why))
		}
		fmt.Fprintln(env.Out)
		if c.Hint != "" {
			fmt.Fprintf(env.Out, "        hint: %s\n", c.Hint)
		}
	}
	if !v.Passed {
		fmt.Fprintf(env.Out, "\n%s does not pass.\n", v.Agent)
		return
	}
	fmt.Fprintf(env.Out, "\n%s passes.\n", v.Agent)
}
