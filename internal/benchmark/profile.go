package main

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// profileVariable tells launch to record under perf; its value is the folder for the recordings.
const profileVariable = "ENTIRE_BENCH_PROFILE"

// noPerf is said where perf is missing.
const noPerf = "perf is not installed (Debian: linux-perf), so functions and processes are not listed; times and page faults are."

// profile makes every measured command be recorded.
func (l *lab) profile(w io.Writer) {
	dir := filepath.Join(l.dir, "profile")
	l.check(os.Mkdir(dir, 0o755))
	if _, err := exec.LookPath("perf"); err != nil {
		fmt.Fprintln(w, noPerf)
		dir = ""
	}
	l.env = append(l.env, profileVariable+"="+dir)
}

// recorded returns the command that records another one, and the path of the recording; without perf the command itself.
func recorded(dir string, command []string) (words []string, data string) {
	if dir == "" {
		return command, ""
	}
	file, err := os.CreateTemp(dir, "data-")
	if err != nil {
		return command, ""
	}
	_ = file.Close()
	return append([]string{"perf", "record", "-q", "-F", strconv.Itoa(perSecond), "-e", "cpu-clock", "-g", "-o", file.Name(), "--"}, command...), file.Name()
}

// listed is how many functions and programs of a row are printed, and perSecond how often perf looks at what runs.
const (
	listed    = 8
	perSecond = 4999
)

// printProfile says, for each row, where the time of its runs went.
func printProfile(w io.Writer, l *lab) {
	for _, r := range l.rows {
		s := slices.Clone(r.Samples["entire"])
		if r.Unit != "ms" || len(s) == 0 || !l.ok() {
			continue
		}
		slices.SortFunc(s, func(a, b sample) int { return cmp.Compare(a.CPU, b.CPU) })
		one := s[len(s)/2]
		fmt.Fprintf(w, "\n%s (%s), %d runs\n", r.Operation, r.Size, len(s))
		if one.Data == "" {
			fmt.Fprintf(w, "  %s in programs, %s in the system, %d page faults\n", milliseconds(one.User), milliseconds(one.CPU-one.User), one.Faults)
			continue
		}
		l.printRecordings(w, s)
	}
	fmt.Fprintln(w, "\nWhere perf recorded, times are from its samples, means of all runs, and page faults include about 3,500 of perf itself.")
}

// printRecordings prints the means of what perf recorded in the runs of one row.
func (l *lab) printRecordings(w io.Writer, runs series) {
	samples, faults, started := 0, int64(0), ""
	for _, one := range runs {
		events, err := l.perf("script", "-i", one.Data, "--show-task-events", "-F", "comm,pid,event")
		l.check(err)
		samples += strings.Count(events, "cpu-clock")
		faults += one.Faults
		started = events
	}
	n := len(runs)
	each := time.Duration(samples) * time.Second / perSecond / time.Duration(n)
	fmt.Fprintf(w, "  %s of processor time, %d page faults; started: %s\n", milliseconds(each), faults/int64(n), strings.Join(startedBy(started), ", "))
	for _, by := range []struct{ title, keys string }{{"programs", "comm"}, {"functions; [k]: of the system", "comm,sym"}} {
		means := map[string]float64{}
		for _, one := range runs {
			text, err := l.perf("report", "-i", one.Data, "--stdio", "-q", "--no-children", "-g", "none", "--sort", by.keys)
			l.check(err)
			addShares(means, text, 1/float64(n))
		}
		fmt.Fprintf(w, "  %s\n", by.title)
		for i, name := range slices.SortedFunc(maps.Keys(means), func(a, b string) int { return cmp.Or(cmp.Compare(means[b], means[a]), cmp.Compare(a, b)) }) {
			if i < listed {
				fmt.Fprintf(w, "    %5.1f %%  %s\n", means[name], name)
			}
		}
	}
}

// share is a line of perf's report.
var share = regexp.MustCompile(`^\s*(\d+\.\d+)%\s+(.*\S)`)

// addShares adds the shares of a report, weighted, to the sums by name.
func addShares(sums map[string]float64, report string, weight float64) {
	for line := range strings.Lines(report) {
		if m := share.FindStringSubmatch(line); m != nil {
			percent, _ := strconv.ParseFloat(m[1], 64)
			sums[strings.Join(strings.Fields(m[2]), " ")] += weight * percent
		}
	}
}

func milliseconds(d time.Duration) string { return fmt.Sprintf("%.1f ms", d.Seconds()*1000) }

// perf runs perf on a recording.
func (l *lab) perf(args ...string) (string, error) {
	var problem bytes.Buffer
	cmd := exec.CommandContext(l.ctx, "perf", args...)
	cmd.Stderr = &problem
	out, err := cmd.Output()
	if err != nil {
		err = fmt.Errorf("perf %s: %w\n%s", args[0], err, problem.String())
	}
	return string(out), err
}

// execEvent is the line that perf prints when a process becomes another program.
var execEvent = regexp.MustCompile(`PERF_RECORD_COMM exec: (.+):\d+/\d+`)

// startedBy counts the programs that were started, in the order of their first start.
func startedBy(events string) (list []string) {
	counts, order := map[string]int{}, []string{}
	for _, m := range execEvent.FindAllStringSubmatch(events, -1) {
		if counts[m[1]] == 0 {
			order = append(order, m[1])
		}
		counts[m[1]]++
	}
	for _, name := range order {
		list = append(list, fmt.Sprintf("%d × %s", counts[name], name))
	}
	return list
}
