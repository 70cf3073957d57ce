package hubcmd

import (
	"context"
	"strconv"

	"github.com/spf13/cobra"

	"entire/internal/cli/beside"
	"entire/internal/cli/cliui"
)

// Register adds the commands to parent. Each becomes the program entire-hub.
func Register(parent *cobra.Command, env *cliui.Env) {
	as := func(name string) func(context.Context, Options) error {
		return func(ctx context.Context, o Options) error { return start(ctx, env, arguments(name, o)) }
	}
	parent.AddCommand(Command(env, Actions{Serve: as("serve"), Rebuild: as("rebuild"), Check: as("check"), Export: as("export"), Token: as("token")}))
}

// start becomes the hub or, where the system cannot do that, runs it and waits.
func start(ctx context.Context, env *cliui.Env, args []string) error {
	path, err := beside.Program(env, "entire-hub", "which serves the hub")
	if err != nil {
		return err
	}
	return beside.Start(ctx, env, path, args)
}

// arguments returns the options as the hub's program takes them.
func arguments(name string, o Options) []string {
	args := []string{name}
	text := func(flag, value string) {
		if value != "" {
			args = append(args, "--"+flag+"="+value)
		}
	}
	truth := func(flag string, value bool) {
		if value {
			args = append(args, "--"+flag+"="+strconv.FormatBool(value))
		}
	}
	text("config", o.Config)
	text("try", o.Try)
	text("listen", o.Listen)
	if name == "export" {
		text("format", o.Format)
	}
	truth("fetch", o.Fetch)
	truth("json", o.JSON)
	if o.Folder != "" {
		args = append(args, "--", o.Folder)
	}
	return args
}
