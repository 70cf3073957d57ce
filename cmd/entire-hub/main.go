package main

import (
	"context"
	"math/rand/v2"
	"os"
	"os/signal"
	"strconv"
	"syscall"
	"time"

	"entire/internal/cli/cliui"
	"entire/internal/cli/hubcmd"
	"entire/internal/cli/hubserver"
	"entire/internal/legible"
)

// Version of this build, set by the linker (-X main.version=…), as for entire.
var (
	version = "dev"
	commit  = "unknown"
)

func main() { os.Exit(program()) }

func program() int {
	mark := strconv.FormatUint(rand.Uint64(), 10)
	env := &cliui.Env{
		In: os.Stdin, Out: legible.NewWriter(os.Stdout, mark), Err: legible.NewWriter(os.Stderr, mark), Mark: mark,
		Environ: os.Environ(), Getwd: os.Getwd, Now: time.Now, Version: version + " " + commit, Quit: os.Exit,
	}
	defer env.Flush()
	// Requests that are being answered may take as long as a replica has to end; a second signal ends it at once.
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop)
	cmd := hubcmd.Command(env, hubserver.Actions(env))
	return env.RunAlone(ctx, cmd, os.Args[1:])
}
