package past

import (
	"strings"
	"time"

	"entire/internal/cli/tui/pane"

	"entire/internal/cli/cliui"
	"entire/internal/cli/tui/paint"
	"entire/internal/timeline"
)

// within reports whether a point belongs to the turn of the point above it.
func within(p timeline.Point) bool {
	return p.Session != "" && (p.Kind == timeline.Task || p.Kind == timeline.Auto || p.Kind == timeline.Saved)
}

// sizeOf returns how much a point changed, in words that fit the width.
func sizeOf(s pane.Screen, p timeline.Point) paint.Line {
	if p.Files <= 0 || s.W < 34 {
		return nil
	}
	if s.W < 56 {
		return pane.PlusMinus(s, p.Insertions, p.Deletions)
	}
	return append(paint.L(paint.Span{Text: cliui.Count(p.Files, "file"), Role: paint.Faint}), pane.PlusMinusColumns(s, p.Insertions, p.Deletions)...)
}

// pointRow returns the row of a point: its lanes, time and title, and what it changed.
func pointRow(s pane.Screen, p timeline.Point, graph paint.Line, here, cursor bool) paint.Line {
	mark := " "
	if cursor {
		mark = s.Cursor
	}
	line := paint.L(paint.Span{Text: mark, Role: paint.Accent})
	line = append(line, graph...)
	line = append(line, paint.Gap(1))
	if s.W >= 30 {
		line = append(line, paint.Span{Text: p.When.In(s.Zone).Format("15:04"), Role: paint.Faint}, paint.Gap(1))
	}
	if here {
		line = append(line, paint.Span{Text: s.Here, Role: paint.Good}, paint.Gap(1))
	}
	title, role := pane.TitleOf(p)
	if within(p) {
		line = append(line, paint.Span{Text: s.Into + " ", Role: paint.Faint})
	}
	if cursor && role == paint.Plain {
		role = paint.Strong
	}
	line = append(line, paint.Say(role, strings.TrimSpace(title)))
	if p.Kind == timeline.Commit && s.W >= 56 {
		line = append(line, paint.Span{Text: "  " + cliui.ShortID(p.ID), Role: paint.Faint})
	}
	row := paint.Row(s.Theme, s.W, line, sizeOf(s, p))
	switch {
	case cursor && s.Focus:
		return row.On(paint.OnCursor)
	case cursor:
		return row.On(paint.OnRow)
	}
	return row
}

// dayRow returns the heading of a day.
func dayRow(s pane.Screen, day time.Time) paint.Line {
	return paint.L(paint.Gap(1), paint.Span{Text: dayWords(s, day), Role: paint.Faint})
}

func dayWords(s pane.Screen, day time.Time) string {
	at, now := day.In(s.Zone), s.Now.In(s.Zone)
	switch days := int(midnight(now).Sub(midnight(at)).Hours()+12) / 24; {
	case days == 0:
		return "Today"
	case days == 1:
		return "Yesterday"
	case days > 1 && days < 7:
		return at.Format("Monday")
	case at.Year() == now.Year():
		return at.Format("Mon 2 January")
	}
	return at.Format("Mon 2 January 2006")
}

func midnight(t time.Time) time.Time {
	return time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, t.Location())
}

func sameDay(zone *time.Location, a, b time.Time) bool {
	return midnight(a.In(zone)).Equal(midnight(b.In(zone)))
}
