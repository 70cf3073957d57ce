// Command benchmark measures what entire adds to git and to an agent's turns. It prints the project's
// table of speed and size, with plain git measured in the same run.
//
//	go run ./internal/benchmark -bin bin/entire            the whole table
//	go run ./internal/benchmark -bin bin/entire -short     small repositories, a minute
//	go run ./internal/benchmark -bin bin/entire -run guard the groups whose name matches
//	go run ./internal/benchmark -bin bin/entire -tenfold   ten times the counts, an hour
//
// It only uses the binary: it makes repositories, acts as an agent's session and commits. It is not a
// test: a row over its budget is marked, and the exit status is 1 only if something could not be
// measured.
//
// Times are processor time (user and system) of the whole process tree, without a terminal, as medians
// of interleaved runs unless the row says otherwise. Processor time varies less than the clock on a
// busy machine; still, measure a row near its budget again.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"regexp"
)

// nothingVerb makes this program end at once.
const nothingVerb = "nothing"

func main() {
	if len(os.Args) == 2 && os.Args[1] == nothingVerb {
		return
	}
	if len(os.Args) > 2 && os.Args[1] == launchVerb {
		os.Exit(launch(os.Args[2:]))
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := bench(ctx, os.Args[1:])
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "benchmark:", err)
		os.Exit(1)
	}
}

// scale is the size of the measurements.
type scale struct {
	sizes       []int // tracked files
	reps        int
	checkpoints int // stored checkpoints
	sessions    int // old sessions
	ignored     int // ignored files
	transcript  int // size of a long transcript in MB
	turns       int // turns of the session whose bytes are counted
	worktrees   int
	large       []int // tracked files of repositories with a file monitor
}

var (
	full    = scale{sizes: []int{1000, 10000, 50000}, reps: 9, checkpoints: 10000, sessions: 500, ignored: 20000, transcript: 100, turns: 100, worktrees: 20, large: []int{100000}}
	short   = scale{sizes: []int{1000}, reps: 3, checkpoints: 1000, sessions: 50, ignored: 2000, transcript: 10, turns: 20, worktrees: 5}
	tenfold = scale{sizes: []int{1000}, reps: 5, checkpoints: 100000, sessions: 5000, ignored: 200000, transcript: 1000, turns: 100, worktrees: 200, large: []int{500000, 1000000}}
)

// groups are the measurements. Each makes its own repository.
var groups = []struct {
	name string
	run  func(*lab)
}{
	{"start", startUp},
	{"hooks", hooksBySize},
	{"guard", guard},
	{"ignored", ignoredFiles},
	{"checkpoints", storedCheckpoints},
	{"sessions", oldSessions},
	{"transcript", longTranscripts},
	{"rewind", rewinds},
	{"lines", ownersOfLines},
	{"equal", ownersOfEqualLines},
	{"blame", blames},
	{"serve", serves},
	{"ranges", ranges},
	{"worktrees", worktrees},
	{"large", largeRepositories},
	{"bytes", bytesStored},
}

func bench(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("benchmark", flag.ContinueOnError)
	bin := flags.String("bin", "bin/entire", "the program to measure")
	quick := flags.Bool("short", false, "small and quick")
	much := flags.Bool("tenfold", false, "ten times as many checkpoints, sessions, ignored files, worktrees and so on, and repositories of a million files")
	reps := flags.Int("reps", 0, "runs of each operation; 0 is 9, or 3 with -short")
	only := flags.String("run", "", "only the groups that match: start, hooks, guard, ignored, checkpoints, sessions, transcript, rewind, lines, equal, blame, serve, ranges, worktrees, large, bytes")
	profile := flags.Bool("profile", false, "say where the time of each line goes, with perf; the program should have its symbols")
	out := flags.String("json", "", "write the table and every sample to this file too")
	if err := flags.Parse(args); err != nil {
		return err
	}
	wanted, err := regexp.Compile(*only)
	if err != nil {
		return err
	}
	size := full
	switch {
	case *quick:
		size = short
	case *much:
		size = tenfold
	}
	if *reps > 0 {
		size.reps = *reps
	}
	l, err := newLab(ctx, *bin, size)
	if err != nil {
		return err
	}
	defer l.close()
	newFile := l.newFile()
	if *profile {
		l.profile(os.Stdout)
	}
	for _, g := range groups {
		if wanted.MatchString(g.name) {
			fmt.Fprintln(os.Stderr, "measuring:", g.name)
			g.run(l)
		}
	}
	if *profile {
		printProfile(os.Stdout, l)
		return l.err
	}
	printTable(os.Stdout, l.rows)
	fmt.Println(diskNote(newFile))
	if *out != "" {
		l.check(writeJSON(*out, l))
	}
	return l.err
}
