//go:build unix

package main

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
)

// A test is one test of a script.
type test struct{ script, number, name string }

func (t test) String() string {
	return strings.TrimSuffix(t.script, ".sh") + "." + t.number + " " + t.name
}

// An outcome is what one mode's run gave.
type outcome struct {
	mode     string
	results  map[test]string
	problems []string
	seconds  float64
}

func (o *outcome) add(script string, results []result, problem string) {
	for _, r := range results {
		o.results[test{script, r.number, r.name}] = r.state
	}
	if problem != "" {
		o.problems = append(o.problems, script+": "+problem)
	}
}

func (o *outcome) count(state string) (n int) {
	for _, s := range o.results {
		if s == state {
			n++
		}
	}
	return n
}

func (o *outcome) String() string {
	text := fmt.Sprintf("%-8s %5d ok, %4d not ok, %4d skipped, %3d known to fail, %4.0f s", o.mode, o.count("ok"), o.count("not ok"),
		o.count("skipped"), o.count("known"), o.seconds)
	for _, p := range o.problems {
		text += "\n  " + p
	}
	return text
}

// A report compares the modes.
type report struct {
	git     string
	scripts int
	all     []*outcome
	failing map[string][]test // per mode, tests that were ok or known plainly and are not ok here
}

func compare(all []*outcome) *report {
	r := &report{all: all, failing: map[string][]test{}}
	if len(all) == 0 || all[0].mode != modes[0] {
		return r
	}
	for _, o := range all[1:] {
		for t, state := range o.results {
			if state == "not ok" && all[0].results[t] != "not ok" {
				r.failing[o.mode] = append(r.failing[o.mode], t)
			}
		}
		for t := range all[0].results {
			if _, there := o.results[t]; !there {
				r.failing[o.mode] = append(r.failing[o.mode], t)
			}
		}
		slices.SortFunc(r.failing[o.mode], func(a, b test) int {
			return cmp.Compare(fmt.Sprintf("%s %6s", a.script, a.number), fmt.Sprintf("%s %6s", b.script, b.number))
		})
	}
	return r
}

// controls are the modes that leave the same traces as another, and do nothing else.
var controls = map[string]string{"idle": "branch", "linked": "trailer"}

// ours returns the tests that fail only with our hooks.
func (r *report) ours() []test {
	list := map[test]bool{}
	for mode, control := range controls {
		for _, t := range r.failing[mode] {
			if !slices.Contains(r.failing[control], t) {
				list[t] = true
			}
		}
	}
	return slices.SortedFunc(maps.Keys(list), func(a, b test) int { return cmp.Compare(a.String(), b.String()) })
}

func (r *report) text() string {
	var b strings.Builder
	for _, mode := range modes[1:] {
		fmt.Fprintf(&b, "\nfail in %s and not plainly: %d\n", mode, len(r.failing[mode]))
		for _, t := range r.failing[mode] {
			fmt.Fprintln(&b, "  ", t)
		}
	}
	fmt.Fprintf(&b, "\nfail only with our hooks: %d\n", len(r.ours()))
	for _, t := range r.ours() {
		fmt.Fprintln(&b, "  ", t)
	}
	return b.String()
}

// The lines between which the document has the figures.
const (
	mark    = "<!-- written by make git-suite -->\n"
	endMark = "<!-- end -->\n"
)

// write replaces the figures in the document.
func (r *report) write(path string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	head, rest, ok := strings.Cut(string(text), mark)
	_, tail, end := strings.Cut(rest, endMark)
	if !ok || !end {
		return fmt.Errorf("%s has no place for the figures: %q and %q", path, mark, endMark)
	}
	return os.WriteFile(path, []byte(head+mark+r.table()+endMark+tail), 0o644)
}

// table returns the figures for the document.
func (r *report) table() string {
	var b strings.Builder
	fmt.Fprintf(&b, "\ngit %s, %d scripts.\n\n| run | ok | not ok | skipped | known to fail | fails and did not plainly | seconds |\n|---|---|---|---|---|---|---|\n", r.git, r.scripts)
	for _, o := range r.all {
		fmt.Fprintf(&b, "| %s | %d | %d | %d | %d | %d | %.0f |\n", o.mode, o.count("ok"), o.count("not ok"), o.count("skipped"), o.count("known"),
			len(r.failing[o.mode]), o.seconds)
	}
	fmt.Fprintf(&b, "\nTests that fail only with our hooks: **%d**.\n\n", len(r.ours()))
	for _, t := range r.ours() {
		fmt.Fprintf(&b, "- `%s`\n", t)
	}
	return b.String()
}
