package mcpcmd

import (
	"fmt"

	"github.com/spf13/cobra"

	"entire/agent/mcp"
	"entire/internal/cli/agentlib"
	"entire/internal/cli/cliui"
)

// helpCommand returns the command that tells an agent what it can ask.
func helpCommand(env *cliui.Env) *cobra.Command {
	var install, uninstall bool
	var names []string
	cmd := &cobra.Command{
		Use:   "agent-help",
		Short: "Tell an agent what it can ask about past sessions",
		Long: `Print what an agent can ask about this project's past, in less than 40 lines, in the form
of a skill file. An agent may read it here.

--install writes it where the agents read skills: those whose hooks are installed here,
or those that --agent names. --uninstall removes it, unless somebody has edited it.`,
		Example: `  entire agent-help
  entire agent-help --install
  entire agent-help --install --agent codex,gemini`,
		Args: cliui.NoArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			switch {
			case install || uninstall:
				return changeAsking(cmd.Context(), env, agentlib.SkillText(), names, install)
			case len(names) > 0:
				return cliui.Failf("as in `entire agent-help --install --agent gemini`", "--agent is for --install and --uninstall")
			}
			_, err := fmt.Fprint(env.Out, mcp.Skill)
			return err
		},
	}
	f := cmd.Flags()
	f.BoolVar(&install, "install", false, "write it into the agents' folders of skills in this repository")
	f.BoolVar(&uninstall, "uninstall", false, "remove it from them")
	agentFlag(env, cmd, &names)
	cmd.MarkFlagsMutuallyExclusive("install", "uninstall")
	return cmd
}
