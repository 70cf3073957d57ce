// Package world gives a program its own clock, environment, directory, input and output. No other package reads them.
package world

import (
	"math/rand/v2"
	"os"
	"strconv"
	"time"

	"entire/internal/cli/cliui"
	"entire/internal/legible"
)

// Env returns the process's own world, for a program of that version and with that clock. Its writers
// remove everything that a terminal would obey, except colours with this run's mark.
func Env(version string, now func() time.Time) *cliui.Env {
	mark := strconv.FormatUint(rand.Uint64(), 10)
	return &cliui.Env{
		In: os.Stdin, Out: legible.NewWriter(os.Stdout, mark), Err: legible.NewWriter(os.Stderr, mark), Mark: mark,
		Environ: os.Environ(), Getwd: os.Getwd, Now: now, Version: version, Quit: os.Exit,
	}
}
