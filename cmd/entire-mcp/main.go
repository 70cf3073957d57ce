package main

import (
	"context"
	"math/rand/v2"
	"os"
	"strconv"
	"time"

	"entire/internal/cli/cliui"
	"entire/internal/cli/mcpcmd"
	"entire/internal/cli/mcpserver"
	"entire/internal/legible"
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
	mark := strconv.FormatUint(rand.Uint64(), 10)
	env := &cliui.Env{
		In: os.Stdin, Out: legible.NewWriter(os.Stdout, mark), Err: legible.NewWriter(os.Stderr, mark), Mark: mark,
		Environ: os.Environ(), Getwd: os.Getwd, Now: time.Now, Version: version + " " + commit, Quit: os.Exit,
	}
	defer env.Flush()
	ctx, stop := env.Interruptible(context.Background())
	defer stop()
	cmd := mcpcmd.Command(env, func(ctx context.Context, o mcpcmd.Options) error {
		return mcpserver.Serve(ctx, env, o.HTTP, o.Port, o.NewToken)
	})
	return env.RunAlone(ctx, cmd, os.Args[1:])
}
