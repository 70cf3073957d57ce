package maintaincmd

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"entire/internal/cli/cliui"
	"entire/internal/cli/statuslib"
	"entire/internal/cli/workplace"
)

func doctorCommand(env *cliui.Env) *cobra.Command {
	var fix, asJSON bool
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Find problems, and repair them",
		Long: `Find problems: stuck sessions, commits whose checkpoint is missing, checkpoints
that cannot be read, damaged compressed conversations, hooks that do not call
entire, interrupted work, an index that names lost trees. The command reads
everything that is stored, which may take a while.

It changes nothing without --fix, and says what --fix would do. It exits with 1
while problems remain.`,
		Example: `  entire doctor
  entire doctor --fix`,
		Args: cliui.NoArguments,
		RunE: func(cmd *cobra.Command, _ []string) error { return runDoctor(cmd.Context(), env, fix, asJSON) },
	}
	f := cmd.Flags()
	f.BoolVar(&fix, "fix", false, "repair what can be repaired")
	f.BoolVarP(&fix, "force", "f", false, "the same as --fix")
	f.BoolVar(&asJSON, "json", false, "print a JSON object")
	cmd.AddCommand(CleanCommand(env), ResetCommand(env), migrateCommand(env), traceCommand(env), logsCommand(env), bundleCommand(env))
	return cmd
}

func runDoctor(ctx context.Context, env *cliui.Env, fix, asJSON bool) error {
	wp, settingsErr, err := workplace.OpenHere(ctx, env, cliui.Failf("run this inside a repository, or make one with `git init`", "not a git repository"))
	if err != nil {
		return err
	}
	defer wp.Close()
	wp.FetchPromised(ctx, env)
	progress, done := env.Progress()
	v, err := statuslib.Diagnose(ctx, env, wp, settingsErr, fix, progress)
	done()
	if err != nil {
		return err
	}
	if asJSON {
		err = env.PrintJSON(v)
	} else {
		_, err = fmt.Fprint(env.Out, v.Text(env, fix))
	}
	if err == nil && v.Problems > 0 {
		err = cliui.ErrTold
	}
	return err
}
