package attribsuite

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"text/tabwriter"

	"entire/internal/histories"
)

// sequence is a row of the suite.
type sequence struct {
	topic, name string
	statements  []string
}

// sequences reads a file of the notation.
func sequences(path string) ([]sequence, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var out []sequence
	for n, line := range strings.Split(string(data), "\n") {
		line = strings.TrimSpace(line)
		if name, is := strings.CutPrefix(line, "== "); is {
			out = append(out, sequence{topic: strings.TrimSuffix(filepath.Base(path), ".txt"), name: name})
			continue
		}
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		if len(out) == 0 {
			return nil, fmt.Errorf("%s:%d: %q belongs to no sequence", path, n+1, line)
		}
		s := &out[len(out)-1]
		s.statements = append(s.statements, line)
	}
	return out, nil
}

// rows returns all sequences of testdata. No two have the same name.
func rows(t *testing.T) (out []sequence) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, path := range files {
		list, err := sequences(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range list {
			if seen[s.name] {
				t.Fatalf("%s: two sequences have the name %q", path, s.name)
			}
			seen[s.name] = true
		}
		out = append(out, list...)
	}
	return out
}

// TestSuite plays every sequence. A line with a wrong owner fails its sequence; lines without an owner count
// for the ratchet, which needs the counts of all sequences.
func TestSuite(t *testing.T) {
	t.Parallel()
	all := rows(t)
	results := playRows(t, all, os.Getenv("ATTRIBUTION_AGENT"))
	fmt.Print(table(all, results)) // `make attribution-suite` shows the table of a run without failures, too
	if t.Failed() || slices.ContainsFunc(results, func(c count) bool { return !c.ran }) {
		return
	}
	share := unknownShare(results)
	fmt.Printf("unknown: %.2f %% of a sequence's lines on average\n", share)
	if tooMany, hint := ratchet(share, mostUnknown); tooMany != "" {
		t.Error(tooMany)
	} else if hint != "" {
		fmt.Println(hint)
	}
}

// playRows plays sequences with the sessions of an agent; "" is Claude Code.
func playRows(t *testing.T, all []sequence, agent string) []count {
	results := make([]count, len(all))
	begun := newWorld(t)
	begun.agent, begun.results = agent, agent != ""
	begun.play("begin")
	t.Run("rows", func(t *testing.T) {
		for i, s := range all {
			t.Run(s.topic+"/"+s.name, func(t *testing.T) {
				t.Parallel()
				if why := s.leftOut(agent); why != "" {
					t.Skip(why)
				}
				results[i] = s.run(t, begun)
			})
		}
	})
	return results
}

// count is the verdict on the lines of a sequence; ran is false for a sequence that -run left out.
type count struct {
	verdict
	ran bool
}

// run plays the sequence: in a copy of a world that has begun, if that is how it begins.
func (s sequence) run(t *testing.T, begun *world) count {
	statements, at := s.statements, ""
	var w *world
	if statements[0] == "begin" {
		w, statements = worldIn(t, begun.Copy(t)), statements[1:]
		w.enabled = true
	} else {
		w = newWorld(t)
	}
	w.agent, w.results = begun.agent, begun.results
	failed := histories.Guard(func() {
		for _, statement := range statements {
			at = statement
			w.play(statement)
		}
	})
	v := w.verdict
	switch {
	case failed != nil:
		t.Errorf("%s: %v", at, failed.Error())
	case v.wrong > 0:
		t.Errorf("%d right, %d wrong, %d unknown\n%s", v.right, v.wrong, v.unknown, strings.Join(w.said, "\n"))
	case v.right+v.unknown == 0:
		t.Error("no line was judged")
	case v.unknown > 0:
		t.Logf("%d unknown\n%s", v.unknown, strings.Join(w.said, "\n"))
	}
	return count{v, true}
}

// table returns the counts of each sequence, each topic, and all of them.
func table(all []sequence, results []count) string {
	var b bytes.Buffer
	tw := tabwriter.NewWriter(&b, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(tw, "right\twrong\tunknown\t\n")
	line := func(v verdict, name string) {
		fmt.Fprintf(tw, "%d\t%d\t%d\t  %s\n", v.right, v.wrong, v.unknown, name)
	}
	var sum, topic verdict
	played := 0
	for i, s := range all {
		if results[i].ran {
			played++
			line(results[i].verdict, s.topic+": "+s.name)
			topic.add(results[i].verdict)
		}
		if topic != (verdict{}) && (i == len(all)-1 || all[i+1].topic != s.topic) {
			line(topic, "= "+s.topic)
			sum.add(topic)
			topic = verdict{}
		}
	}
	line(sum, fmt.Sprintf("= all %d sequences", played))
	tw.Flush()
	return b.String()
}
