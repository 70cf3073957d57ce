package main

import (
	"context"
	"math/rand/v2"
	"os"
	"strconv"
	"time"

	"entire/internal/cli/cliui"
	"entire/internal/cli/exportcmd"
	"entire/internal/cli/otelexport"
	"entire/internal/legible"
)

// otelProgram is the program entire-otel, as scripts find it.
func otelProgram() {
	mark := strconv.FormatUint(rand.Uint64(), 10)
	env := &cliui.Env{
		In: os.Stdin, Out: legible.NewWriter(os.Stdout, mark), Err: legible.NewWriter(os.Stderr, mark), Mark: mark,
		Environ: os.Environ(), Getwd: os.Getwd, Now: time.Now, Version: version, Quit: os.Exit,
	}
	cmd := exportcmd.Command(env, func(ctx context.Context, o exportcmd.Options) error { return otelexport.Send(ctx, env, o) })
	status := env.RunAlone(context.Background(), cmd, os.Args[1:])
	env.Flush()
	os.Exit(status)
}
