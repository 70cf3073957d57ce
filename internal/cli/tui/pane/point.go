package pane

import (
	"entire/internal/cli/cliui"
	"entire/internal/cli/rewindlib"
	"entire/internal/cli/tui/paint"
	"entire/internal/timeline"
	"entire/strategy/condense"
)

// KindGlyph returns the sign of a point's kind.
func KindGlyph(s Screen, k timeline.Kind) string {
	switch k {
	case timeline.Task:
		return s.Task
	case timeline.Auto:
		return s.Auto
	case timeline.Label:
		return s.Label
	case timeline.Commit:
		return s.Commit
	case timeline.Rewind:
		return s.Rewind
	case timeline.Saved, timeline.Outside:
		return s.Saved
	}
	return s.Turn
}

// TitleOf returns what a point is about.
func TitleOf(p timeline.Point) (string, paint.Role) {
	switch p.Kind {
	case timeline.Commit:
		return p.Message, paint.Strong
	case timeline.Label:
		return p.Label, paint.Accent
	case timeline.Rewind:
		return RewindWords(p), paint.Warn
	case timeline.Turn:
		if p.Prompt != "" {
			return p.Prompt, paint.Plain
		}
	}
	return p.Message, paint.Faint
}

// RewindWords says what a rewind did.
func RewindWords(p timeline.Point) string {
	if p.Rewind == nil {
		return p.Message
	}
	words := p.Message
	if p.Rewind.Kind == condense.RewindDone {
		words = rewindlib.EntryWords(condense.RewindEntry{Kind: p.Rewind.Kind, Point: p.Rewind.Point, Scope: p.Rewind.Scope})
	}
	if p.Rewind.UndoneBy != "" {
		words += ", undone"
	}
	return words
}

// PlusMinus returns how many lines were added and removed; -1 stands for a binary file.
func PlusMinus(s Screen, added, removed int) paint.Line {
	if added < 0 || removed < 0 {
		return paint.L(paint.Span{Text: "binary", Role: paint.Faint})
	}
	return paint.L(paint.Span{Text: "+" + number(added), Role: paint.Added}, paint.Gap(1), paint.Span{Text: s.Minus + number(removed), Role: paint.Removed})
}

// PlusMinusColumns is PlusMinus for a list: the numbers of all rows are below each other.
func PlusMinusColumns(s Screen, added, removed int) paint.Line {
	const plus, minus = 6, 6
	if added < 0 || removed < 0 {
		return paint.L(paint.Span{Text: s.PadLeft("binary", plus+minus), Role: paint.Faint})
	}
	return paint.L(paint.Span{Text: s.PadLeft("+"+number(added), plus), Role: paint.Added}, paint.Span{Text: s.PadLeft(s.Minus+number(removed), minus), Role: paint.Removed})
}

// number returns a count in few columns.
func number(n int) string {
	if n <= 0 {
		return "0"
	}
	return cliui.ShortNumber(n)
}
