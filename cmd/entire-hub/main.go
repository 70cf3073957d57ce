package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	"time"

	"entire/cmd/internal/world"
	"entire/internal/cli/hubcmd"
	"entire/internal/cli/hubserver"
)

// Version of this build, set by the linker (-X main.version=…), as for entire.
var (
	version = "dev"
	commit  = "unknown"
)

func main() { os.Exit(program()) }

func program() int {
	env := world.Env(version+" "+commit, time.Now)
	defer env.Flush()
	// Requests that are being answered may take as long as a replica has to end; a second signal ends it at once.
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop)
	cmd := hubcmd.Command(env, hubserver.Actions(env))
	return env.RunAlone(ctx, cmd, os.Args[1:])
}
