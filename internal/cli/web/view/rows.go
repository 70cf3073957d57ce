package view

import (
	"strings"
	"time"

	"entire/internal/cli/cliui"
	"entire/internal/cli/pointlib"
	"entire/internal/timeline"
)

// A Row is a point as the timeline shows it.
type Row struct {
	timeline.Point
	Graph   Graph
	Present bool // the files are as they were here
}

// A Day is the rows of one day, newest first.
type Day struct {
	Date time.Time
	Rows []Row
}

// Days groups the points of a window by day.
func (v *Views) Days(w timeline.Window) []Day {
	var days []Day
	graphs := graphs(w.Points)
	for i, p := range w.Points {
		when := p.When.In(v.o.Zone)
		if len(days) == 0 || !sameDay(days[len(days)-1].Date, when) {
			days = append(days, Day{Date: when})
		}
		last := &days[len(days)-1]
		last.Rows = append(last.Rows, Row{p, graphs[i], w.Present != "" && p.ID == w.Present})
	}
	return days
}

func sameDay(a, b time.Time) bool { return a.YearDay() == b.YearDay() && a.Year() == b.Year() }

// Title returns what a point is called: the prompt, the name, the message.
func Title(p timeline.Point) string {
	if p.Rewind != nil {
		return upper(pointlib.Title(p))
	}
	if title := pointlib.Title(p); title != "" {
		return title
	}
	return cliui.ShortID(p.ID)
}

// Title is the title of a row's point.
func (r Row) Title() string { return Title(r.Point) }

// KindWord returns what a point is in a word.
func KindWord(k timeline.Kind) string {
	switch k {
	case timeline.Task:
		return "subagent"
	case timeline.Auto:
		return "automatic step"
	case timeline.Saved:
		return "saved before another step"
	case timeline.Outside:
		return "changes outside turns"
	}
	return string(k)
}

// Word returns what the row's point is in a word.
func (r Row) Word() string { return KindWord(r.Kind) }

func upper(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}
