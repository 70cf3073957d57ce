package main

import (
	"math/rand/v2"
	"os"
	"strconv"
	"time"

	"entire/internal/cli/cliui"
	"entire/internal/legible"
)

// theWorld returns the process's own world. Its writers remove everything that a terminal would
// obey, except colours with this run's mark.
func theWorld() *cliui.Env {
	mark := strconv.FormatUint(rand.Uint64(), 10)
	return &cliui.Env{
		In: os.Stdin, Out: legible.NewWriter(os.Stdout, mark), Err: legible.NewWriter(os.Stderr, mark), Mark: mark,
		Environ: os.Environ(), Getwd: os.Getwd, Now: time.Now, Version: version, Quit: os.Exit,
	}
}
