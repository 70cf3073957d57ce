package attribution_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"entire/internal/attribution"
)

// recordOf makes a record of one file.
func recordOf(path, text string, f attribution.File) *attribution.Record {
	names := map[attribution.Class]string{attribution.Agent: "agent", attribution.Person: "human", attribution.Unknown: "unknown"}
	owner := func(o attribution.Owner) attribution.RecordOwner {
		return attribution.RecordOwner{Class: names[o.Class], SessionID: o.Session}
	}
	var b attribution.Builder
	var lines []attribution.RecordLine
	for _, l := range f.Lines {
		lines = append(lines, attribution.RecordLine{Owner: owner(l.Owner), Added: l.Added, Moved: l.Moved, Modified: l.Modified})
	}
	var removed []attribution.RecordRemoval
	for _, r := range f.Removed {
		removed = append(removed, attribution.RecordRemoval{Line: r.Line, Owner: owner(r.Owner), Replaced: r.Replaced})
	}
	b.Add(attribution.RecordFile{Path: path, Blob: strings.Repeat("a", 40)}, attribution.PrintLines([]byte(text)), lines, removed)
	return b.Record()
}

// TestRecordHoldsTheFile: what was told of a file is what its record says after it
// was written and read.
func TestRecordHoldsTheFile(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		base, last := textOf(t, "base"), ""
		var steps []step
		for range rapid.IntRange(1, 4).Draw(t, "steps") {
			last = textOf(t, "text")
			steps = append(steps, step{by: rapid.SampledFrom([]attribution.Owner{claude, gemini, person, nobody}).Draw(t, "by"), text: last})
		}
		f := tell(base, steps...).Commit([]byte(base))
		data, err := recordOf("a", last, f).Encode()
		if err != nil {
			t.Fatal(err)
		}
		r, err := attribution.DecodeRecord(data)
		if err != nil {
			t.Fatal(err)
		}
		prints := attribution.PrintLines([]byte(last))
		for i, l := range f.Lines {
			g := r.Files[0].At(i + 1)
			if (g != nil) != l.Added {
				t.Fatalf("line %d: added %v, range %+v", i+1, l.Added, g)
			}
			if g == nil {
				continue
			}
			if r.Owners[g.Owner].SessionID != l.Owner.Session || g.Moved != l.Moved || g.Modified != l.Modified || g.Prints[i+1-g.Start] != prints[i] {
				t.Fatalf("line %d: %+v is recorded as %+v", i+1, l, g)
			}
		}
		var s sum
		s.add(f)
		var sum attribution.Tally
		for _, tally := range r.Tallies() {
			sum.Added, sum.Removed = sum.Added+tally.Added, sum.Removed+tally.Removed
		}
		if sum.Added != s.Added || sum.Removed != s.Removed {
			t.Fatalf("recorded %+v, want %+v", sum, s)
		}
	})
}

func TestCheckRefuses(t *testing.T) {
	t.Parallel()
	const blob = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
	file := func(rest string) string {
		return `{"version":1,"owners":[{"class":"human"},{"class":"agent","session_id":"s"}],"files":[{"path":"a","blob":"` + blob + `","lines":4` + rest + `}]}`
	}
	for name, doc := range map[string]string{
		"another version":     `{"version":2,"owners":[],"files":[]}`,
		"no class":            `{"version":1,"owners":[{"class":"Before"}],"files":[]}`,
		"agent of no session": `{"version":1,"owners":[{"class":"agent"}],"files":[]}`,
		"person with session": `{"version":1,"owners":[{"class":"human","session_id":"s"}],"files":[]}`,
		"negative turn":       `{"version":1,"owners":[{"class":"agent","session_id":"s","turn":-1}],"files":[]}`,
		"file twice":          `{"version":1,"owners":[],"files":[{"path":"a","lines":0},{"path":"a","lines":0}]}`,
		"files out of order":  `{"version":1,"owners":[],"files":[{"path":"b","lines":0},{"path":"a","lines":0}]}`,
		"no path":             `{"version":1,"owners":[],"files":[{"path":"","lines":0}]}`,
		"blob":                `{"version":1,"owners":[],"files":[{"path":"a","blob":"xyz","lines":0}]}`,
		"lines of no blob":    `{"version":1,"owners":[],"files":[{"path":"a","lines":3}]}`,
		"overlapping":         file(`,"ranges":[{"start":1,"count":2,"owner":0,"prints":"AAAAAAAAAAA="},{"start":2,"count":1,"owner":1,"prints":"AAAAAA=="}]`),
		"unsorted":            file(`,"ranges":[{"start":3,"count":1,"owner":0,"prints":"AAAAAA=="},{"start":1,"count":1,"owner":1,"prints":"AAAAAA=="}]`),
		"out of the file":     file(`,"ranges":[{"start":4,"count":2,"owner":0,"prints":"AAAAAAAAAAA="}]`),
		"line 0":              file(`,"ranges":[{"start":0,"count":1,"owner":0,"prints":"AAAAAA=="}]`),
		"no lines":            file(`,"ranges":[{"start":1,"count":0,"owner":0,"prints":""}]`),
		"huge":                file(`,"ranges":[{"start":9223372036854775807,"count":2,"owner":0,"prints":"AAAAAAAAAAA="}]`),
		"dangling owner":      file(`,"ranges":[{"start":1,"count":1,"owner":2,"prints":"AAAAAA=="}]`),
		"prints":              file(`,"ranges":[{"start":1,"count":2,"owner":0,"prints":"AAAAAA=="}]`),
		"part of a print":     file(`,"ranges":[{"start":1,"count":1,"owner":0,"prints":"AAAA"}]`),
		"removed overlapping": file(`,"removed":[{"line":1,"count":2,"owner":0},{"line":2,"count":1,"owner":0}]`),
		"removed by nobody":   file(`,"removed":[{"line":1,"count":2,"owner":7}]`),
		"removed line 0":      file(`,"removed":[{"line":0,"count":2,"owner":0}]`),
		"lines without end":   `{"version":1,"owners":[],"files":[{"path":"a","blob":"` + blob + `","lines":99999999999}]}`,
		"removed without end": file(`,"removed":[{"line":1,"count":99999999999,"owner":0}]`),
		"not JSON":            `{`,
	} {
		if _, err := attribution.DecodeRecord([]byte(doc)); err == nil {
			t.Errorf("%s: not refused", name)
		}
	}
	if _, err := attribution.DecodeRecord([]byte(file(`,"ranges":[{"start":1,"count":2,"owner":0,"prints":"AAAAAAAAAAA="},{"start":4,"count":1,"owner":1,"prints":"AAAAAA=="}],"more":1`))); err != nil {
		t.Error(err)
	}
}

func FuzzDecodeRecord(f *testing.F) {
	f.Add([]byte(`{"version":1,"owners":[{"class":"agent","session_id":"s","turn":3}],"files":[{"path":"a","blob":"` + strings.Repeat("a", 40) + `","lines":2,"ranges":[{"start":1,"count":2,"owner":0,"prints":"AAAAAAAAAAA="}],"removed":[{"line":1,"count":1,"owner":0}]}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := attribution.DecodeRecord(data)
		if err != nil {
			return
		}
		again, err := r.Encode()
		if err != nil {
			t.Fatal(err)
		}
		back, err := attribution.DecodeRecord(again)
		if err != nil {
			t.Fatal(err)
		}
		one, _ := json.Marshal(r)
		two, _ := json.Marshal(back)
		if !reflect.DeepEqual(one, two) {
			t.Fatalf("%s became %s", one, two)
		}
		for i := range r.Files {
			for line := range min(r.Files[i].Lines, 100) {
				r.Files[i].At(line)
			}
		}
		r.Tallies()
	})
}

func TestMatch(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, was, now string
		want           []int32
	}{
		{"the same", "a long enough line\n}\n", "a long enough line\n}\n", []int32{0, 1}},
		{"re-indented", "a long enough line\n}\n", "\ta long enough line\n\t}\n", []int32{0, 1}},
		{"weak alone", "}\n", "}\n", []int32{-1}},
		{"twice", "a long enough line\n", "a long enough line\na long enough line\n", []int32{-1, -1}},
		{"moved", "the first of two lines\nx\nthe second of two lines\n", "the second of two lines\nthe first of two lines\nx\n", []int32{2, 0, 1}},
		{"new between", "the first of two lines\nthe second of two lines\n", "the first of two lines\nsomething new here\nthe second of two lines\n", []int32{0, -1, 1}},
		{"repeated between anchors", "the first of two lines\n}\n}\nthe second of two lines\n", "the first of two lines\n}\n}\nthe second of two lines\n", []int32{0, 1, 2, 3}},
		{"nothing", "", "a long enough line\n", []int32{-1}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			var strong []bool
			for _, line := range split(tc.now) {
				strong = append(strong, attribution.Distinctive(line))
			}
			got := attribution.Match(attribution.PrintLines([]byte(tc.was)), attribution.PrintLines([]byte(tc.now)), strong)
			if !reflect.DeepEqual(got, tc.want) {
				t.Errorf("got %v, want %v", got, tc.want)
			}
		})
	}
}

func TestTrace(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, older, newer string
		want               []int32
	}{
		{"inserted", "one\ntwo\n", "one\nnew\ntwo\n", []int32{0, -1, 1}},
		{"re-indented", "one\ntwo\n", "\tone\n\ttwo\n", []int32{0, 1}},
		{"moved", "first line\nsecond line\nthird line\n", "third line\nfirst line\nsecond line\n", []int32{2, 0, 1}},
		{"copied", "first line\n", "first line\nfirst line\n", []int32{0, -1}},
		{"new", "", "one\n", []int32{-1}},
	} {
		if got := attribution.Trace([]byte(tc.older), []byte(tc.newer)); !reflect.DeepEqual(got, tc.want) {
			t.Errorf("%s: got %v, want %v", tc.name, got, tc.want)
		}
	}
}
