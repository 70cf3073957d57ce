package main

import (
	"context"
	"os"
	"time"

	"entire/cmd/internal/world"
	"entire/internal/cli/exportcmd"
	"entire/internal/cli/otelexport"
	"entire/internal/single"
)

// Version of this build, set by the linker (-X main.version=…), as for entire.
var (
	version = "dev"
	commit  = "unknown"
)

func main() { os.Exit(program()) }

func program() int {
	single.All()
	env := world.Env(version+" "+commit, time.Now)
	defer env.Flush()
	ctx, stop := env.Interruptible(context.Background())
	defer stop()
	cmd := exportcmd.Command(env, func(ctx context.Context, o exportcmd.Options) error { return otelexport.Send(ctx, env, o) })
	return env.RunAlone(ctx, cmd, os.Args[1:])
}
