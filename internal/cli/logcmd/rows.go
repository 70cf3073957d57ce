package logcmd

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"entire/internal/cli/cliui"
	"entire/internal/cli/pointlib"
	"entire/internal/term"
	"entire/internal/timeline"
)

const (
	widest    = 120 // columns in which a row is laid out, however wide the terminal is
	roomy     = 64  // columns from which the size of a change has a place at the right
	clockWide = 5   // as in 15:04
	idWide    = 7
)

// jsonSink prints an object per line.
type jsonSink struct{ enc *json.Encoder }

func jsonRows(env *cliui.Env) jsonSink { return jsonSink{env.JsonLines()} }

func (jsonSink) begin(bool) error    { return nil }
func (j jsonSink) row(r row) error   { return j.enc.Encode(r) }
func (jsonSink) end(given int) error { return nil }

// textRows lays the rows out for people.
type textRows struct {
	out     io.Writer
	t       term.Terminal
	width   int // 0 for no limit
	oneline bool
	file    bool
	narrow  bool // the selection is narrowed, so that no row is no surprise

	day     string
	columns int // of the graph, as many as were needed so far
	turns   map[string]int
}

func newTextRows(out io.Writer, t term.Terminal, width int, o logOptions) *textRows {
	if width > 0 {
		width = min(max(width, 20), widest)
	}
	return &textRows{out: out, t: t, width: width, oneline: o.oneline, file: o.file != "", turns: map[string]int{},
		narrow: o.session != "" || len(o.kinds) > 0 || o.since != "" || o.file != "" || o.from != ""}
}

func (w *textRows) begin(unlike bool) error {
	if !unlike || w.oneline {
		return nil
	}
	return w.line(w.t.Styled(term.Faint, w.cut("No point has the files as they are now.", 0)))
}

func (w *textRows) end(given int) error {
	switch {
	case given > 0:
		return nil
	case w.file:
		return w.line("No point has this file.")
	case w.narrow:
		return w.line("No point is like that.")
	}
	return w.line("There is no past yet. It begins with an agent's turn, a commit, or `entire save`.")
}

func (w *textRows) line(text string) error {
	_, err := io.WriteString(w.out, strings.TrimRight(text, " ")+"\n")
	return err
}

// cut shortens plain text to what is left of the width after used columns.
func (w *textRows) cut(text string, used int) string {
	if w.width == 0 {
		return text
	}
	return term.Cut(text, max(w.width-used, 1))
}

func (w *textRows) row(r row) error {
	if w.oneline {
		return w.short(r)
	}
	at := r.When.Local()
	if day := at.Format("Mon 2 Jan 2006"); day != w.day {
		if w.day != "" {
			rails, _ := w.rails(r, false)
			if err := w.line(rails); err != nil {
				return err
			}
		}
		w.day = day
		if err := w.line(w.t.Styled(term.Strong, day)); err != nil {
			return err
		}
	}
	return w.long(r, at)
}

// long prints a point in two lines; a step within a turn that was shown, in one.
func (w *textRows) long(r row, at time.Time) error {
	before, used := w.mark(r)
	inner := w.within(r.Point)
	if inner {
		before, used = before+"  ", used+2
	}
	head := before + w.t.Styled(term.Faint, at.Format("15:04")) + "  " + w.id(r.Point) + "  "
	used += clockWide + 2 + idWide + 2
	title, changed := w.title(r), pointlib.Changed(r.Point)
	if w.file {
		changed = ""
	}
	if w.width == 0 || w.width < roomy || changed == "" {
		if w.width == 0 && changed != "" {
			title += "  (" + changed + ")"
		}
		if err := w.line(head + w.named(r, title, used)); err != nil {
			return err
		}
	} else {
		room := w.width - used - len(changed) - 2
		shown, cells := w.titled(r, title, room)
		fill := strings.Repeat(" ", max(room-cells, 0)+2)
		if err := w.line(head + shown + fill + w.t.Styled(term.Faint, changed)); err != nil {
			return err
		}
	}
	note := pointlib.Note(r.Point)
	if w.width > 0 && w.width < roomy && changed != "" {
		note = strings.TrimSuffix(changed+"; "+note, "; ")
	}
	if inner || note == "" {
		return nil
	}
	rails, used := w.rails(r, true)
	indent := clockWide + 2
	if w.width == 0 || w.width >= roomy {
		indent += idWide + 2
	}
	return w.line(rails + strings.Repeat(" ", indent) + w.t.Styled(term.Faint, w.cut(note, used+indent)))
}

// short prints a point in one line.
func (w *textRows) short(r row) error {
	before, used := "", 0
	if r.lanes != nil {
		before, used = w.mark(r)
	}
	session := "-"
	if r.Session != "" {
		session = cliui.ShownSession(r.Session)
	}
	fields := fmt.Sprintf("  %s  %-6s  ", r.When.Local().Format("01-02"), r.Kind)
	if w.width == 0 || w.width >= roomy {
		fields = fmt.Sprintf("  %s  %-6s  %-12s  ", r.When.Local().Format("2006-01-02 15:04"), r.Kind, session)
	}
	used += idWide + term.Cells(fields)
	title := w.title(r)
	if changed := pointlib.Changed(r.Point); changed != "" && !w.file && (w.width == 0 || w.width >= roomy) {
		title += "  (" + changed + ")"
	}
	return w.line(before + w.id(r.Point) + w.t.Styled(term.Faint, fields) + w.named(r, title, used))
}

// title returns what a row says of its point.
func (w *textRows) title(r row) string {
	text := pointlib.Title(r.Point)
	switch {
	case r.Gone:
		text = "removed: " + text
	case r.Kind == timeline.Task && !strings.HasPrefix(text, "task"):
		text = "task: " + text
	}
	return text
}

// named returns a title, with "(present)" before it where that is due, cut to the width.
func (w *textRows) named(r row, title string, used int) string {
	room := 0
	if w.width > 0 {
		room = max(w.width-used, 1)
	}
	text, _ := w.titled(r, title, room)
	return text
}

// titled is named for a room, 0 for no limit. It returns the columns that the text takes, too.
func (w *textRows) titled(r row, title string, room int) (string, int) {
	mark, cells := "", 0
	if r.Present {
		mark, cells = w.t.Styled(term.Good, "(present)")+" ", len("(present) ")
	}
	if room > 0 {
		title = term.Cut(title, max(room-cells, 1))
	}
	cells += term.Cells(title)
	if r.Rewind != nil && r.Rewind.UndoneBy != "" {
		title = w.t.Styled(term.Faint, title)
	}
	return mark + title, cells
}

func (w *textRows) id(p timeline.Point) string {
	id := p.ID
	if p.Rewind != nil {
		id = p.Rewind.ID
	}
	return w.t.Styled(term.Strong, fmt.Sprintf("%-*s", idWide, cliui.ShortID(id)))
}

// within reports whether a point is a part of a turn that was shown before it.
func (w *textRows) within(p timeline.Point) bool {
	if p.Session == "" || p.Turn == 0 {
		return false
	}
	if p.Kind == timeline.Turn {
		w.turns[p.Session] = p.Turn
		return false
	}
	return (p.Kind == timeline.Auto || p.Kind == timeline.Task) && w.turns[p.Session] == p.Turn
}
