package exportcmd

import (
	"context"

	"github.com/spf13/cobra"

	"entire/internal/cli/beside"
	"entire/internal/cli/cliui"
)

// Register adds the command to parent.
func Register(parent *cobra.Command, env *cliui.Env) {
	cmd := &cobra.Command{
		Use:   "export COMMAND",
		Short: "Send what sessions did to a collector, if you ask for it",
	}
	cmd.AddCommand(Command(env, func(ctx context.Context, o Options) error { return start(ctx, env, o) }))
	parent.AddCommand(cmd)
}

// start becomes the program that sends or, where the system cannot do that, runs it and waits.
func start(ctx context.Context, env *cliui.Env, o Options) error {
	path, err := beside.Program(env, "entire-otel", "which sends to collectors of OpenTelemetry")
	if err != nil {
		return err
	}
	return beside.Start(ctx, env, path, arguments(o))
}

// arguments returns the options as the other program takes them.
func arguments(o Options) []string {
	args := []string{}
	for _, text := range []struct{ name, value string }{{"endpoint", o.Endpoint}, {"since", o.Since}} {
		if text.value != "" {
			args = append(args, "--"+text.name+"="+text.value)
		}
	}
	for _, flag := range []struct {
		name string
		set  bool
	}{{"content", o.Content}, {"all", o.All}, {"again", o.Again}, {"dry-run", o.DryRun}, {"json", o.JSON}} {
		if flag.set {
			args = append(args, "--"+flag.name)
		}
	}
	return args
}
