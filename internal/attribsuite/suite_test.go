package attribsuite

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"text/tabwriter"
)

// sequence is a row of the suite.
type sequence struct {
	topic, name string
	statements  []string
	right       int // lines that were named rightly when it was recorded
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
		if number, is := strings.CutPrefix(line, "right "); is {
			if s.right, err = strconv.Atoi(number); err != nil {
				return nil, fmt.Errorf("%s:%d: %w", path, n+1, err)
			}
			continue
		}
		s.statements = append(s.statements, line)
	}
	return out, nil
}

// rows are all sequences of testdata, file by file.
func rows(t *testing.T) (out []sequence, files []string) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil {
		t.Fatal(err)
	}
	files = slices.DeleteFunc(files, func(path string) bool { return filepath.ToSlash(path) == seedsFile })
	for _, path := range files {
		list, err := sequences(path)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, list...)
	}
	return out, files
}

// TestSuite plays every sequence. No line may be given to somebody who did not write
// it, and no sequence may know less than it once did. ATTRIBUTION_RECORD=1 writes
// what it knows into the files.
func TestSuite(t *testing.T) {
	all, files := rows(t)
	results := make([]result3, len(all))
	var done sync.WaitGroup
	t.Run("rows", func(t *testing.T) {
		for i, s := range all {
			done.Add(1)
			t.Run(s.topic+"/"+s.name, func(t *testing.T) {
				t.Parallel()
				defer done.Done()
				results[i] = s.run(t)
			})
		}
	})
	fmt.Print(table(all, results)) // shown by `make attribution-suite`, where all is well, too
	if record && !t.Failed() {
		if err := recordRight(files, all, results); err != nil {
			t.Fatal(err)
		}
	}
}

// result3 is a row's count; ran is false for a row that was left out by -run.
type result3 struct {
	verdict
	ran bool
}

func (s sequence) run(t *testing.T) result3 {
	w := newWorld(t)
	at := ""
	failed := guarded(func() {
		for _, statement := range s.statements {
			at = statement
			w.play(statement)
		}
	})
	v := w.verdict
	switch {
	case failed != nil:
		t.Errorf("%s: %v", at, failed.Error())
	case v.wrong > 0 || v.right < s.right && !record:
		t.Errorf("%d right (%d recorded), %d wrong, %d unknown\n%s", v.right, s.right, v.wrong, v.unknown, strings.Join(w.said, "\n"))
	case v.right+v.unknown == 0:
		t.Error("nothing was judged")
	case v.unknown > 0:
		t.Logf("%d unknown\n%s", v.unknown, strings.Join(w.said, "\n"))
	}
	return result3{v, true}
}

// table shows the counts, row by row, and of each topic.
func table(all []sequence, results []result3) string {
	var b bytes.Buffer
	tw := tabwriter.NewWriter(&b, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(tw, "right\twrong\tunknown\t\n")
	line := func(v verdict, name string) {
		fmt.Fprintf(tw, "%d\t%d\t%d\t  %s\n", v.right, v.wrong, v.unknown, name)
	}
	var sum, topic verdict
	played := 0
	for i, s := range all {
		if !results[i].ran {
			continue
		}
		played++
		line(results[i].verdict, s.topic+": "+s.name)
		topic.add(results[i].verdict)
		if i == len(all)-1 || all[i+1].topic != s.topic {
			line(topic, "= "+s.topic)
			sum.add(topic)
			topic = verdict{}
		}
	}
	line(sum, fmt.Sprintf("= all %d sequences", played))
	tw.Flush()
	return b.String()
}

// recordRight writes the counts behind the sequences.
func recordRight(files []string, all []sequence, results []result3) error {
	for _, path := range files {
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		topic := strings.TrimSuffix(filepath.Base(path), ".txt")
		var out []string
		name := ""
		flush := func() {
			i := slices.IndexFunc(all, func(s sequence) bool { return s.topic == topic && s.name == name })
			if i >= 0 && results[i].ran {
				out = slices.Insert(out, lastSaid(out), fmt.Sprintf("right %d", results[i].right))
			}
		}
		for line := range strings.SplitSeq(strings.TrimSuffix(string(data), "\n"), "\n") {
			if next, is := strings.CutPrefix(line, "== "); is {
				flush()
				name = next
			}
			if !strings.HasPrefix(line, "right ") {
				out = append(out, line)
			}
		}
		flush()
		if err := os.WriteFile(path, []byte(strings.Join(out, "\n")+"\n"), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// lastSaid is the place behind the last line that is not empty or a comment.
func lastSaid(out []string) int {
	for i := len(out); i > 0; i-- {
		if s := strings.TrimSpace(out[i-1]); s != "" && !strings.HasPrefix(s, "#") {
			return i
		}
	}
	return 0
}
