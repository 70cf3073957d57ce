package past

import (
	"context"
	"errors"
	"slices"
	"time"

	"entire/internal/cli/tui/pane"

	tea "charm.land/bubbletea/v2"

	"entire/internal/cli/tui/paint"
	"entire/internal/timeline"
)

// The parts of the timeline. A wide screen shows all three, a narrow one only one.
const (
	listPart = iota
	pointPart
	diffPart
	parts
)

// Timeline is the panel with the past, and the point under the cursor.
type Timeline struct {
	ask   pane.Asker
	theme *paint.Theme
	list  pointList
	part  int // where keys go
	w, h  int

	rest    int    // counts the cursor's stops
	lists   int    // counts how often the list was read anew
	changes int64  // how often the past had changed when the list was read again
	sets    int    // counts how often the point was typeset
	shown   string // what is shown beside the list: the point's kind and ID
	point   *pointText
	said    *pane.Doc // the point, as text
	diff    *pane.Doc // what it changed
	both    *pane.Doc // one after the other
	scroll  [parts]int
	problem string // why nothing can be shown
}

// New returns the panel. The zone is that in which days begin.
func New(ask pane.Asker, theme *paint.Theme, zone *time.Location) *Timeline {
	return &Timeline{ask: ask, theme: theme, list: pointList{heads: true, zone: zone}}
}

// SetTheme changes how text is measured and shown.
func (t *Timeline) SetTheme(theme *paint.Theme) tea.Cmd {
	t.theme = theme
	return t.typeset()
}

type (
	windowRead struct {
		w     timeline.Window
		err   error
		doing string // what pane.Failed, with err
		fresh bool   // what was read before is forgotten
		at    int    // where the cursor goes if fresh
		lists int    // if not fresh: how often the list had been read anew

		changes int64 // if the list was read again: how often the past had changed
	}
	counted struct {
		w     timeline.Window
		lists int
	}
	presentRead struct{ id string }
	restedAt    struct{ stop int }
	// stayedAt says that the cursor is still on a point: what going back there would do takes longer to
	// find out than the rest.
	stayedAt struct{ key string }
)

// Show reads what is in view.
func (t *Timeline) Show() tea.Cmd { return t.need() }

// Resize reads what comes into view.
func (t *Timeline) Resize(width, height int) tea.Cmd {
	changed := width != t.w
	t.w, t.h = width, height
	t.list.height = t.bodyHeight()
	t.list.follow()
	if changed {
		return tea.Batch(t.need(), t.typeset())
	}
	return t.need()
}

// bodyHeight is the height without the line of tabs.
func (t *Timeline) bodyHeight() int {
	if t.columns() == 1 {
		return max(t.h-1, 1)
	}
	return max(t.h, 1)
}

// columns returns how many parts are shown beside each other.
func (t *Timeline) columns() int {
	switch {
	case t.w >= 170:
		return 3
	case t.w >= 96:
		return 2
	}
	return 1
}

// need asks for the points around those in view that are not at hand.
func (t *Timeline) need() tea.Cmd {
	if t.list.height == 0 {
		return nil
	}
	from, limit := t.list.Missing(t.list.top-t.list.height, t.list.top+2*t.list.height)
	if limit == 0 {
		return nil
	}
	lists := t.lists
	return t.ask.On("window", func(ctx context.Context) tea.Msg {
		w, err := t.ask.Source.Outline(ctx, from, limit)
		return windowRead{w: w, err: err, lists: lists}
	})
}

// count finds out how much the points in view changed. It is asked for once the list has come to rest: git
// compares two trees for each point.
func (t *Timeline) count() tea.Cmd {
	from, limit := t.list.Uncounted(t.list.top, t.list.top+t.list.height)
	if limit == 0 {
		return nil
	}
	lists := t.lists
	return t.ask.On("counts", func(ctx context.Context) tea.Msg {
		w, err := t.ask.Source.Window(ctx, from, limit)
		if err != nil {
			return nil // the list is shown without
		}
		return counted{w, lists}
	})
}

// Update takes what was read.
func (t *Timeline) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case windowRead:
		return t.takeWindow(msg)
	case presentRead:
		t.list.present = msg.id
	case counted:
		if msg.lists == t.lists {
			t.list.Take(msg.w, true)
		}
	case restedAt:
		if msg.stop == t.rest {
			return t.rested()
		}
	case stayedAt:
		if t.point != nil && msg.key == t.shown {
			return t.readGoing(msg.key, t.point.Point)
		}
	case pointRead, typesetDone, coloured, goingRead:
		return t.takePoint(msg)
	case pane.Changed:
		return t.refresh()
	case pane.GoTo:
		return t.goTo(msg.Point)
	}
	return nil
}

func (t *Timeline) takeWindow(msg windowRead) tea.Cmd {
	if msg.err != nil {
		if errors.Is(msg.err, errUnchanged) {
			return t.need()
		}
		if msg.doing != "" {
			return pane.Send(pane.Failed(msg.doing, msg.err))
		}
		t.problem = wordsOf(msg.err)
		return nil
	}
	if !msg.fresh && msg.lists != t.lists { // of a list that has changed since
		return t.need()
	}
	first := !t.list.Read
	if msg.fresh {
		t.lists++
		t.changes = max(t.changes, msg.changes)
		t.list.Pages = pane.Pages{}
	}
	t.problem = ""
	t.list.Take(msg.w, false)
	if msg.fresh {
		t.list.to(msg.at)
	}
	t.list.follow()
	cmds := []tea.Cmd{t.need(), t.stopped()}
	if first {
		cmds = append(cmds, t.readPresent())
	}
	return tea.Batch(cmds...)
}

// readPresent finds out which point the files are at.
func (t *Timeline) readPresent() tea.Cmd {
	return t.ask.On("present", func(ctx context.Context) tea.Msg {
		id, err := t.ask.Source.Present(ctx)
		if err != nil {
			return nil
		}
		return presentRead{id}
	})
}

// goTo moves the cursor to the point with a name, wherever it is.
func (t *Timeline) goTo(name string) tea.Cmd {
	t.part = listPart
	if i := t.list.Index(name); i >= 0 {
		t.list.to(i)
		return tea.Batch(t.need(), t.stopped())
	}
	return t.jump("find "+name, func(ctx context.Context) (int, error) {
		p, err := t.ask.Source.Find(ctx, name)
		return p.Index, err
	})
}

// toEnd moves the cursor to the oldest point.
func (t *Timeline) toEnd() tea.Cmd {
	return t.jump("read the oldest point", func(ctx context.Context) (int, error) {
		n, err := t.ask.Source.Count(ctx)
		return max(n-1, 0), err
	})
}

// jump reads the points around the one that find returns, and moves the cursor there.
func (t *Timeline) jump(doing string, find func(context.Context) (int, error)) tea.Cmd {
	height := t.list.height
	return t.ask.On("jump", func(ctx context.Context) tea.Msg {
		at, err := find(ctx)
		if err != nil {
			return windowRead{err: err, doing: doing}
		}
		from := max(at-height, 0) / pane.PageSize * pane.PageSize
		w, err := t.ask.Source.Outline(ctx, from, (at+2*height-from)/pane.PageSize*pane.PageSize+pane.PageSize)
		return windowRead{w: w, err: err, doing: doing, fresh: true, at: at}
	})
}

// refresh reads the list again if the repository has changed, and keeps the cursor on its point; at
// the newest point it stays at the newest.
func (t *Timeline) refresh() tea.Cmd {
	id := ""
	if p := t.list.Pages.At(t.list.at); p != nil && t.list.at > 0 {
		id = p.ID
	}
	shown, now := t.changes, int64(0)
	again := t.jump("read the past again", func(ctx context.Context) (_ int, err error) {
		now, err = t.ask.Source.Refresh(ctx)
		switch {
		case err != nil:
			return 0, err
		case now == shown:
			return 0, errUnchanged
		case id == "":
			return 0, nil
		}
		p, err := t.ask.Source.Find(ctx, id)
		if err != nil { // the point is gone
			return 0, nil
		}
		return p.Index, nil
	})
	if again == nil {
		return nil
	}
	read := func() tea.Msg {
		msg := again()
		if w, ok := msg.(windowRead); ok {
			w.changes = now
			return w
		}
		return msg
	}
	return tea.Batch(read, t.readPresent())
}

var errUnchanged = errors.New("nothing has changed")

// stopped is called wherever the cursor may have come to another point, or other points into view.
func (t *Timeline) stopped() tea.Cmd {
	p := t.list.Pages.At(t.list.at)
	if p == nil {
		return nil
	}
	if _, uncounted := t.list.Uncounted(t.list.top, t.list.top+t.list.height); keyOf(*p) == t.shown && uncounted == 0 {
		return nil
	}
	t.rest++
	stop := t.rest
	if t.shown == "" {
		return t.rested()
	}
	return tea.Tick(t.ask.Rest, func(time.Time) tea.Msg { return restedAt{stop} })
}

// rested reads the point under the cursor, and how much those in view changed.
func (t *Timeline) rested() tea.Cmd {
	if p := t.list.Pages.At(t.list.at); p == nil || keyOf(*p) == t.shown {
		return t.count()
	}
	return tea.Batch(t.readPoint(), t.count())
}

// keyOf identifies a point: a rewind may have led to a step that is a point of its own.
func keyOf(p timeline.Point) string { return string(p.Kind) + " " + p.ID }

// Cursor returns the point under the cursor.
func (t *Timeline) Cursor() (timeline.Point, bool) {
	p := t.list.Pages.At(t.list.at)
	if p == nil {
		return timeline.Point{}, false
	}
	return *p, true
}

// Typing reports that letters are keys here.
func (t *Timeline) Typing() bool { return false }

// shownParts returns the parts in view, from the left.
func (t *Timeline) shownParts() []int {
	switch t.columns() {
	case 3:
		return []int{listPart, pointPart, diffPart}
	case 2:
		return []int{listPart, pointPart}
	}
	return []int{t.part}
}

// nextPart moves the keys to the next part that can be shown.
func (t *Timeline) nextPart(by int) {
	n := parts
	if t.columns() == 2 {
		n = 2
	}
	t.part = ((min(t.part, n-1)+by)%n + n) % n
}

func (t *Timeline) focused() int {
	if t.columns() == 2 {
		return min(t.part, pointPart)
	}
	return t.part
}

// docOf returns the text of a part, nil for the list.
func (t *Timeline) docOf(part int) *pane.Doc {
	switch {
	case part == listPart:
		return nil
	case part == diffPart:
		return t.diff
	case t.columns() == 2:
		return t.both
	}
	return t.said
}

// widths returns the width of each column.
func (t *Timeline) widths() []int {
	switch t.columns() {
	case 3:
		list := min(64, t.w*3/10)
		rest := t.w - list - 2*pane.Gutter
		return []int{list, rest * 45 / 100, rest - rest*45/100}
	case 2:
		list := max(40, t.w*38/100)
		return []int{list, t.w - list - pane.Gutter}
	}
	return []int{t.w}
}

func wordsOf(err error) string { return pane.Failed("read the past", err).(pane.Tell).Text }

// partAt returns the part in a column of the screen.
func (t *Timeline) partAt(x int) (part, column int) {
	shown := t.shownParts()
	for i, w := range t.widths() {
		if x < w+pane.Gutter || i == len(shown)-1 {
			return shown[i], x
		}
		x -= w + pane.Gutter
	}
	return shown[0], slices.Max(t.widths())
}
