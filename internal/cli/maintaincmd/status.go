package maintaincmd

import (
	"fmt"

	"github.com/spf13/cobra"

	"entire/internal/cli/cliui"
	"entire/internal/cli/statuslib"
)

// Register adds the commands that look after a repository to parent.
func Register(parent *cobra.Command, env *cliui.Env) {
	parent.AddCommand(statusCommand(env), doctorCommand(env))
}

func statusCommand(env *cliui.Env) *cobra.Command {
	var detailed, asJSON bool
	cmd := &cobra.Command{
		Use:   "status",
		Short: "Show whether it works, and what was not saved or linked",
		Args:  cliui.NoArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			v, err := statuslib.Read(cmd.Context(), env)
			if err != nil {
				return err
			}
			if asJSON {
				return env.PrintJSON(v)
			}
			_, err = fmt.Fprint(env.Out, v.Text(env, detailed))
			return err
		},
	}
	cmd.Flags().BoolVar(&detailed, "detailed", false, "show each settings file")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print a JSON object")
	return cmd
}
