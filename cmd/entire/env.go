package main

import (
	"math/rand/v2"
	"os"
	"strconv"
	"time"

	"entire/internal/cli/cliui"
	"entire/internal/legible"
)

// clockVar is empty, except in the program that makes the pictures of the documents (`make pictures`):
// there the linker sets it to the variable that tells the time.
var clockVar = ""

func now() time.Time {
	if clockVar != "" {
		if at, err := time.Parse(time.RFC3339, os.Getenv(clockVar)); err == nil {
			return at
		}
	}
	return time.Now()
}

// theWorld returns the process's own world. Its writers remove everything that a terminal would
// obey, except colours with this run's mark.
func theWorld() *cliui.Env {
	mark := strconv.FormatUint(rand.Uint64(), 10)
	return &cliui.Env{
		In: os.Stdin, Out: legible.NewWriter(os.Stdout, mark), Err: legible.NewWriter(os.Stderr, mark), Mark: mark,
		Environ: os.Environ(), Getwd: os.Getwd, Now: now, Version: version, Quit: os.Exit,
	}
}
