package past

import (
	"context"
	"time"

	"entire/internal/cli/tui/pane"

	tea "charm.land/bubbletea/v2"

	"entire/internal/cli/tui/facts"
	"entire/internal/cli/tui/paint"
	"entire/internal/patch"
	"entire/internal/timeline"
)

type (
	// pointRead brings a point in two messages: first without its diff.
	pointRead struct {
		key   string
		point *pointText
		err   error
	}
	typesetDone struct {
		n                int // which typesetting it was: only the last one counts
		said, diff, both *pane.Doc
	}
	coloured struct {
		key  string
		file int
		rows [][][]patch.Token
	}
	goingRead struct {
		key   string
		words []string
		risk  paint.Role
	}
)

// readPoint reads the point under the cursor, then its diff.
func (t *Timeline) readPoint() tea.Cmd {
	p := t.list.Pages.At(t.list.at)
	if p == nil {
		return nil
	}
	key, id := keyOf(*p), p.ID
	return t.ask.On("point", func(ctx context.Context) tea.Msg {
		d, err := t.ask.Source.Details(ctx, id)
		return pointRead{key, &pointText{Details: d}, err}
	})
}

// takePoint takes what was read of the point under the cursor.
func (t *Timeline) takePoint(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case pointRead:
		return t.takeRead(msg)
	case typesetDone:
		if msg.n == t.sets {
			t.said, t.diff, t.both = msg.said, msg.diff, msg.both
		}
	case coloured:
		if msg.key == t.shown && t.point != nil && t.point.diff != nil {
			t.point.diff.Colours[msg.file] = msg.rows
			return t.colour(msg.file + 1)
		}
	case goingRead:
		if msg.key == t.shown && t.point != nil {
			t.point.going, t.point.risk = msg.words, msg.risk
			return t.typeset()
		}
	}
	return nil
}

func (t *Timeline) takeRead(msg pointRead) tea.Cmd {
	if msg.err != nil {
		return pane.Send(pane.Failed("read the point", msg.err))
	}
	if p := t.list.Pages.At(t.list.at); p == nil || keyOf(*p) != msg.key {
		return nil
	}
	if msg.key != t.shown {
		t.scroll[pointPart], t.scroll[diffPart] = 0, 0
		t.said, t.diff, t.both = nil, nil, nil
	}
	if msg.key == t.shown && t.point != nil { // what came in the meantime stays
		msg.point.going, msg.point.risk = t.point.going, t.point.risk
	}
	t.shown, t.point = msg.key, msg.point
	if msg.point.diff != nil {
		return tea.Batch(t.typeset(), t.colour(0))
	}
	point := *msg.point
	diff := t.ask.On("point", func(ctx context.Context) tea.Msg {
		d, err := t.ask.Source.Diff(ctx, point.Before, point.Tree)
		point.diff = &pane.DiffText{Diff: d, Colours: map[int][][][]patch.Token{}}
		return pointRead{msg.key, &point, err}
	})
	stayed := tea.Tick(stayRests*t.ask.Rest, func(time.Time) tea.Msg { return stayedAt{msg.key} })
	return tea.Batch(t.typeset(), diff, stayed)
}

// stayRests is how many times the cursor rests on a point before it is asked what going back would do.
const stayRests = 4

// typeset makes the text of the point for the width that the panel has.
func (t *Timeline) typeset() tea.Cmd {
	if t.point == nil || t.w == 0 {
		return nil
	}
	t.sets++
	n, point, widths, theme := t.sets, *t.point, t.widths(), t.theme
	s := pane.Screen{Theme: theme, Zone: t.list.zone, Top: t.ask.Source.Place().Top}
	return t.ask.Beside("typeset", func(context.Context) tea.Msg { return typesetPoint(n, &point, s, widths) })
}

func typesetPoint(n int, p *pointText, s pane.Screen, widths []int) typesetDone {
	out := typesetDone{n: n, said: &pane.Doc{}, diff: &pane.Doc{}, both: &pane.Doc{}}
	screen := func(column int) pane.Screen {
		column = min(column, len(widths)-1)
		s.W = widths[column]
		if column == len(widths)-1 {
			s.W-- // as in View
		}
		return s
	}
	addPoint(out.said, screen(1), p)
	addPoint(out.both, screen(1), p)
	if p.diff != nil {
		pane.AddDiff(out.diff, screen(2), p.diff)
		out.both.Add(nil)
		pane.AddDiff(out.both, screen(1), p.diff)
	}
	return out
}

// colour gets the colours of the file with that index, and then of the next one.
func (t *Timeline) colour(file int) tea.Cmd {
	if t.point.diff == nil || file >= min(len(t.point.diff.Files), pane.ColouredFiles) {
		return nil
	}
	key, f := t.shown, t.point.diff.Files[file]
	return t.ask.Beside("colour", func(context.Context) tea.Msg {
		return coloured{key, file, facts.Colours(f)}
	})
}

// readGoing finds out what a rewind to the point would do.
func (t *Timeline) readGoing(key string, p timeline.Point) tea.Cmd {
	if p.Rewind != nil && p.Rewind.Gone {
		return nil
	}
	return t.ask.Beside("going", func(ctx context.Context) tea.Msg {
		look, err := t.ask.Source.Look(ctx, backTo(p))
		if err != nil {
			return goingRead{key, []string{pane.Capital(facts.Words(err))}, paint.Warn}
		}
		words, role := pane.GoingWords(look)
		return goingRead{key, words, role}
	})
}
