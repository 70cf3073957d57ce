package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
)

// row is one line of the table.
type row struct {
	Operation string            `json:"operation"`
	Size      string            `json:"size"`
	Unit      string            `json:"unit"`
	Reference float64           `json:"beside"` // plain git, or entire without the measured feature; 0: nothing to compare
	Entire    float64           `json:"entire"`
	Allowed   float64           `json:"allowed"`
	Units     float64           `json:"units,omitempty"` // beyond the reference, in plain commits of 1,000 files
	Goal      float64           `json:"goal,omitempty"`  // of the units; 0: none
	Samples   map[string]series `json:"samples,omitempty"`
}

// add adds a row to the table.
func (l *lab) add(r row) {
	if l.ok() {
		l.rows = append(l.rows, r)
	}
}

// times adds a row in milliseconds. Allowed is factor times the reference, plus a constant.
func (l *lab) times(operation, size string, reference, ours series, statistic func(series) float64, factor, plus float64) {
	if !l.ok() {
		return
	}
	b := statistic(reference)
	l.add(row{Operation: operation, Size: size, Unit: "ms", Reference: b, Entire: statistic(ours), Allowed: factor*b + plus,
		Samples: map[string]series{"beside": reference, "entire": ours}})
}

// inCommits states the last row's time beyond the reference in plain commits, beside its goal.
func (l *lab) inCommits(goal float64) {
	if l.ok() && l.commit > 0 {
		r := &l.rows[len(l.rows)-1]
		r.Units, r.Goal = (r.Entire-r.Reference)/l.commit, goal
	}
}

// memory adds a row for the largest process in the samples.
func (l *lab) memory(operation, size string, s series, allowed float64) {
	l.add(row{Operation: operation, Size: size, Unit: "MB", Entire: peak(s), Allowed: allowed})
}

// series are the samples of one operation.
type series []sample

// median returns the median processor time in milliseconds.
func median(s series) float64 {
	cpu := s.cpu()
	if n := len(cpu); n > 0 {
		return (cpu[(n-1)/2] + cpu[n/2]) / 2
	}
	return 0
}

// least returns the smallest time, for differences smaller than the noise.
func least(s series) float64 {
	if cpu := s.cpu(); len(cpu) > 0 {
		return cpu[0]
	}
	return 0
}

func (s series) cpu() []float64 {
	var out []float64
	for _, one := range s {
		out = append(out, float64(one.CPU)/float64(time.Millisecond))
	}
	slices.Sort(out)
	return out
}

// peak returns the largest memory in MB.
func peak(s series) float64 {
	var most int64
	for _, one := range s {
		most = max(most, one.Memory)
	}
	return float64(most) / 1e6
}

func (r row) verdict() string {
	if r.Entire <= r.Allowed {
		return "ok"
	}
	return "OVER"
}

func printTable(w io.Writer, rows []row) {
	t := tabwriter.NewWriter(w, 0, 0, 1, ' ', tabwriter.AlignRight|tabwriter.Debug)
	fmt.Fprintln(t, "operation\t size\t reference\t entire\t allowed\t unit\t verdict\t commits\t goal\t")
	for _, r := range rows {
		beside := "-"
		if r.Reference != 0 {
			beside = fmt.Sprintf("%.1f", r.Reference)
		}
		commits, goal := "", ""
		if r.Goal != 0 {
			commits, goal = digits(r.Units), digits(r.Goal)
		}
		fmt.Fprintf(t, "%s\t %s\t %s\t %s\t %s\t %s\t %s\t %s\t %s\t\n",
			r.Operation, r.Size, beside, digits(r.Entire), digits(r.Allowed), r.Unit, r.verdict(), commits, goal)
	}
	t.Flush()
	fmt.Fprintln(w, "reference: plain git in the same run, or Entire without the measured feature. ms: processor time of the process tree.")
	fmt.Fprintln(w, "commits: what Entire takes beyond the reference, in plain commits of 1,000 files of the same run, which holds on any machine.")
}

func digits(v float64) string {
	if v < 10 {
		return fmt.Sprintf("%.2f", v)
	}
	return fmt.Sprintf("%.1f", v)
}

func writeJSON(path string, l *lab) error {
	version, _ := exec.Command("git", "--version").Output()
	data, err := json.MarshalIndent(map[string]any{
		"go": runtime.Version(), "system": runtime.GOOS + "/" + runtime.GOARCH, "processors": runtime.NumCPU(),
		"git": strings.TrimSpace(string(version)), "rows": l.rows,
	}, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(path, append(data, '\n'), 0o644)
}
