// Command ui measures the full-screen program in a terminal of its own: how much processor time it takes
// until the first frame, how long from a key to the frame that it changes, and how much memory it has.
//
//	go run ./internal/benchmark/ui -bin bin/entire                 100,000 points and 1 GB of transcripts
//	go run ./internal/benchmark/ui -bin bin/entire -short          a tenth of it
//	go run ./internal/benchmark/ui -bin bin/entire -dir /tmp/lab   keeps the repository, and uses it again
//
// The repository is made by the program's own hooks (the transcripts) and by git fast-import (the steps
// and commits). It is not a test: a figure over its goal is marked, and the exit status is 1 only if
// something could not be measured. Linux only, because the memory and the processor time of a process
// that runs come from /proc.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"time"
)

// A scale is the size of the repository.
type scale struct {
	commits, steps, sessions int
	transcript               int // bytes of each session's
}

var (
	full  = scale{commits: 30_000, steps: 70_000, sessions: 40, transcript: 26 << 20}
	short = scale{commits: 3000, steps: 7000, sessions: 10, transcript: 10 << 20}
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := bench(ctx, os.Args[1:])
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "ui:", err)
		os.Exit(1)
	}
}

func bench(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("ui", flag.ContinueOnError)
	bin := flags.String("bin", "bin/entire", "the program to measure")
	dir := flags.String("dir", "", "where the repository is made, and kept; \"\" for a temporary folder")
	quick := flags.Bool("short", false, "a tenth of the points, and of the transcripts")
	runs := flags.Int("runs", 5, "how often the first frame is measured")
	keys := flags.Int("keys", 400, "how many keys are measured in each panel")
	only := flags.String("only", "", "measure only the panels with this in their names")
	if err := flags.Parse(args); err != nil {
		return err
	}
	program, err := filepath.Abs(*bin)
	if err != nil {
		return err
	}
	size := full
	if *quick {
		size = short
	}
	l := &lab{ctx: ctx, bin: program, dir: *dir, scale: size}
	if l.dir == "" {
		if l.dir, err = os.MkdirTemp("", "entire-ui-"); err != nil {
			return err
		}
		defer os.RemoveAll(l.dir)
	}
	begun := time.Now()
	if err := l.build(); err != nil {
		return fmt.Errorf("make the repository: %w", err)
	}
	fmt.Fprintf(os.Stderr, "made or found the repository in %s\n", time.Since(begun).Round(time.Second))
	return l.measure(*runs, *keys, *only)
}
