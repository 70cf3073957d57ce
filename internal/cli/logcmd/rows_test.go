package logcmd

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"entire/internal/term"
	"entire/internal/timeline"
	"entire/strategy/condense"
)

// past is a list with each kind of point, of two sessions.
func past() []timeline.Point {
	at := func(hours int) time.Time { return time.Date(2026, 3, 4, 12-hours, 0, 0, 0, time.Local) }
	id := func(n int) string { return fmt.Sprintf("%07x", 0xabc0000+n) + strings.Repeat("0", 33) }
	const one, two = "11111111-0000-4000-8000-000000000001", "22222222-0000-4000-8000-000000000002"
	points := []timeline.Point{
		{Kind: timeline.Commit, Message: "Greet the world", Author: "Ann", Session: one, Agent: "Claude Code", Checkpoints: []string{"a1b2c3d4e5f6"}, Files: 2, Insertions: 12, Deletions: 3},
		{Kind: timeline.Turn, Lane: 1, Session: one, Turn: 2, Agent: "Claude Code", Prompt: "Say hello to everybody, in every language that there is, and say it loudly", TakenBy: id(0), Files: 2, Insertions: 12, Deletions: 3},
		{Kind: timeline.Task, Lane: 1, Session: one, Turn: 2, Agent: "Claude Code", Message: "list the languages", Files: 1, Insertions: 4},
		{Kind: timeline.Turn, Lane: 2, Session: two, Turn: 1, Agent: "Codex", Prompt: "文字の幅を数える", Why: "interrupted turn"},
		{Kind: timeline.Auto, Lane: 1, Session: one, Turn: 2, Message: "before command rm -rf build", Why: "before command rm -rf build"},
		{Kind: timeline.Label, Label: "before the upgrade", Message: "label", Files: 1, Insertions: 1},
		{Kind: timeline.Rewind, Lane: 1, Session: one, Rewind: &timeline.RewindInfo{ID: "feedbee", Point: id(7), UndoneBy: "decaf00"}, Files: 1, Deletions: 4},
		{Kind: timeline.Turn, Lane: 1, Session: one, Turn: 1, Agent: "Claude Code", Prompt: "Begin\x1b[2J"},
		{Kind: timeline.Saved, Message: "before rewind", Why: "before rewind"},
		{Kind: timeline.Commit, Message: "first", Author: "Ann", Rewind: nil, Files: 1, Insertions: 1},
	}
	for i := range points {
		points[i].Index, points[i].ID, points[i].When = i, id(i), at(5*i)
	}
	points[6].Rewind.Kind = condense.RewindDone
	return points
}

// written returns the rows of points as they are printed.
func written(points []timeline.Point, width int, o logOptions) string {
	var b strings.Builder
	rows := newTextRows(&b, term.Terminal{}, width, o)
	var g graph
	for i, p := range points {
		r := row{Point: p, Present: i == 1}
		if o.graph {
			r.lanes = g.next(p, points[i+1:])
		}
		rows.row(r)
	}
	return b.String()
}

// The rows of each width are in testdata, to be read. `go test -run TestRows -args write` writes them.
func TestRows(t *testing.T) {
	for name, o := range map[string]logOptions{"long": {}, "graph": {graph: true}, "oneline": {oneline: true}} {
		var all strings.Builder
		for _, width := range []int{40, 80, 120, 200, 0} {
			fmt.Fprintf(&all, "--- %d columns\n%s", width, written(past(), width, o))
		}
		file := filepath.Join("testdata", name+".txt")
		if slices.Contains(os.Args, "write") {
			if err := os.WriteFile(file, []byte(all.String()), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), all.String()); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

func TestRowsFit(t *testing.T) {
	for width := 40; width <= 200; width += 3 {
		for _, o := range []logOptions{{}, {graph: true}, {oneline: true}, {oneline: true, graph: true}} {
			for line := range strings.Lines(written(past(), width, o)) {
				if n := term.Cells(strings.TrimSuffix(line, "\n")); n > width {
					t.Errorf("%d columns at %d, %+v: %q", n, width, o, line)
				}
			}
		}
	}
}

// TestLanes: a lane ends below the last point of its session, and another session may have it then.
func TestLanes(t *testing.T) {
	point := func(lane int, session string) timeline.Point {
		return timeline.Point{Kind: timeline.Turn, Lane: lane, Session: session}
	}
	points := []timeline.Point{point(1, "a"), point(2, "b"), point(1, "a"), point(1, "c"), {Kind: timeline.Commit, Session: "c"}, point(2, "b")}
	var got []string
	var g graph
	for i, p := range points {
		line := ""
		for _, l := range g.next(p, points[i+1:]) {
			switch {
			case l.here:
				line += "*"
			case l.runs:
				line += "|"
			default:
				line += "."
			}
		}
		got = append(got, line)
	}
	if want := "|* ||* |*| |*| *.| ..*"; strings.Join(got, " ") != want {
		t.Errorf("got  %s\nwant %s", strings.Join(got, " "), want)
	}
}
