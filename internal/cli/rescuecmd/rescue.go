package rescuecmd

import (
	"github.com/spf13/cobra"

	"entire/internal/cli/cliui"
)

// Register adds the command to parent.
func Register(parent *cobra.Command, env *cliui.Env) {
	cmd := &cobra.Command{
		Use:   "rescue",
		Short: "Bring back what was lost before Entire was there",
		Long: `Bring back what was lost, also where Entire was never enabled: from what agents,
git and editors left on this machine.`,
		Args: cliui.NoSuchCommand,
	}
	cmd.AddCommand(filesCommand(env))
	parent.AddCommand(cmd)
}
