package main

import (
	"context"
	"os"

	"entire/internal/cli/exportcmd"
	"entire/internal/cli/otelexport"
)

// otelProgram is the program entire-otel, as scripts find it.
func otelProgram() {
	env := theWorld()
	cmd := exportcmd.Command(env, func(ctx context.Context, o exportcmd.Options) error { return otelexport.Send(ctx, env, o) })
	status := env.RunAlone(context.Background(), cmd, os.Args[1:])
	env.Flush()
	os.Exit(status)
}
