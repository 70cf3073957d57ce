package past

import (
	tea "charm.land/bubbletea/v2"

	"entire/internal/cli/tui/pane"

	"entire/internal/cli/cliui"
	"entire/internal/cli/rewindlib"
	"entire/internal/cli/tui/paint"
	"entire/internal/timeline"
	"entire/strategy/condense"
)

// Key takes a key.
func (t *Timeline) Key(k tea.KeyPressMsg) (tea.Cmd, bool) {
	key := k.String()
	switch key {
	case "tab":
		t.nextPart(1)
		return nil, true
	case "shift+tab":
		t.nextPart(-1)
		return nil, true
	case "enter":
		return t.goBack(), true
	case "s":
		p, _ := t.Cursor()
		return pane.Send(pane.OpenFile{States: true, Point: p.ID}), true
	case "o":
		p, _ := t.Cursor()
		if p.Session == "" {
			return pane.Told("this point belongs to no session", paint.Plain), true
		}
		return pane.Send(pane.OpenSession{ID: p.Session}), true
	case "f", "b":
		return t.openFile(key == "f"), true
	case "z":
		t.list.turns = !t.list.turns
		t.list.follow()
		return t.need(), true
	}
	if t.focused() != listPart {
		return nil, t.scrollKey(key)
	}
	return t.listKey(key)
}

// goBack opens the sheet of a rewind to the point under the cursor.
func (t *Timeline) goBack() tea.Cmd {
	p, ok := t.Cursor()
	switch {
	case !ok:
		return nil
	case p.Rewind != nil && p.Rewind.Gone:
		return pane.Told("what this rewind replaced is no longer kept", paint.Warn)
	}
	return pane.Send(pane.OpenSheet{Request: backTo(p), Point: p})
}

// backTo returns the request of a rewind to a point. Of a commit only the files can be had.
func backTo(p timeline.Point) rewindlib.Request {
	return rewindlib.Request{Point: p.ID, Scope: condense.Scope{SkipConversation: !p.Restorable()}}
}

// openFile shows the states, or the owners of the lines, of the file that is at the top of the diff.
func (t *Timeline) openFile(states bool) tea.Cmd {
	if t.point == nil || t.point.diff == nil || len(t.point.diff.Files) == 0 {
		return pane.Told("this point has changed no file", paint.Plain)
	}
	part := pointPart
	if t.columns() != 2 {
		part = diffPart
	}
	at := 0
	if doc := t.docOf(part); doc != nil {
		at = max(len(t.point.diff.Files)-doc.MarksAfter(t.scroll[part]+1), 1) - 1
	}
	p, _ := t.Cursor()
	return pane.Send(pane.OpenFile{Path: t.point.diff.Files[at].Path(), States: states, Point: p.ID})
}

// listKey takes a key that moves the cursor.
func (t *Timeline) listKey(key string) (tea.Cmd, bool) {
	page := max(t.list.height-2, 1)
	switch key {
	case "up", "k":
		t.list.move(-1)
	case "down", "j":
		t.list.move(1)
	case "pgup", "ctrl+b":
		t.list.move(-page)
	case "pgdown", "ctrl+f":
		t.list.move(page)
	case "home", "g":
		t.list.to(0)
	case "end", "G":
		return t.toEnd(), true
	case "space", "backspace", "n", "N":
		return nil, t.scrollOther(key)
	case "a":
		t.nextPart(1)
		return nil, true
	default:
		return nil, false
	}
	return tea.Batch(t.need(), t.stopped()), true
}

// scrollOther scrolls the point while keys go to the list.
func (t *Timeline) scrollOther(key string) bool {
	if t.columns() == 1 {
		return false
	}
	part := pointPart
	if t.columns() == 3 && (key == "n" || key == "N") {
		part = diffPart
	}
	return t.scrollPart(part, key)
}

func (t *Timeline) scrollKey(key string) bool { return t.scrollPart(t.focused(), key) }

// scrollPart scrolls a text.
func (t *Timeline) scrollPart(part int, key string) bool {
	doc := t.docOf(part)
	if doc == nil {
		return false
	}
	at, height := t.scroll[part], t.bodyHeight()
	switch key {
	case "up", "k":
		at = doc.Scrolled(at, -1, height)
	case "down", "j":
		at = doc.Scrolled(at, 1, height)
	case "pgup", "backspace", "ctrl+b":
		at = doc.Scrolled(at, 1-height, height)
	case "pgdown", "space", "ctrl+f":
		at = doc.Scrolled(at, height-1, height)
	case "home", "g":
		at = 0
	case "end", "G":
		at = doc.Scrolled(at, doc.Len(), height)
	case "n":
		at = doc.Scrolled(doc.Next(at, 1), 0, height)
	case "N":
		at = doc.Next(at, -1)
	default:
		return false
	}
	t.scroll[part] = at
	return true
}

// Mouse moves the cursor to what is clicked, and scrolls.
func (t *Timeline) Mouse(m tea.Mouse, does pane.MouseDoes) tea.Cmd {
	y := m.Y
	if t.columns() == 1 {
		if y--; y < 0 && does == pane.Clicks {
			t.part = pane.TabAt(t.tabs(), m.X, t.part)
			return nil
		}
	}
	part, _ := t.partAt(m.X)
	switch {
	case does == pane.Clicks && part == listPart:
		t.part = listPart
		_, at := t.list.rows(pane.Screen{Theme: t.theme, W: t.widths()[0], H: t.bodyHeight(), Zone: t.list.zone})
		if y >= 0 && y < len(at) && at[y] >= 0 {
			t.list.to(at[y])
		}
	case does == pane.Clicks:
		t.part = part
	case part == listPart:
		t.list.move(map[pane.MouseDoes]int{pane.WheelUp: -pane.Wheel, pane.WheelDown: pane.Wheel}[does])
	default:
		if doc := t.docOf(part); doc != nil {
			t.scroll[part] = doc.Scrolled(t.scroll[part], map[pane.MouseDoes]int{pane.WheelUp: -pane.Wheel, pane.WheelDown: pane.Wheel}[does], t.bodyHeight())
		}
	}
	return tea.Batch(t.need(), t.stopped())
}

// Command is the command that shows the point under the cursor.
func (t *Timeline) Command() string {
	p, ok := t.Cursor()
	if !ok {
		return "entire log"
	}
	return "entire show " + cliui.ShortID(p.ID)
}

// Help returns the keys of the panel.
func (t *Timeline) Help() []pane.Binding {
	return []pane.Binding{
		pane.Bind("↑ ↓  k j", "move by one point", ""), pane.Bind("PgUp PgDn", "move by a page", ""),
		pane.Bind("Home End  g G", "go to the newest or the oldest point", ""),
		pane.Bind("tab", "go to the next part: points, what was said, what changed", "tab"),
		pane.Bind("enter", "look at what going back to the point would do", "enter"),
		pane.Bind("o", "read the conversation of its session", "o"),
		pane.Bind("s", "step through the states of all files, from here", "s"),
		pane.Bind("f", "step through the states of the file in view", "f"), pane.Bind("b", "show the owners of the lines of the file in view", "b"),
		pane.Bind("space backspace", "scroll the point", ""), pane.Bind("n N", "go to the next part or file of the point", ""),
		pane.Bind("z", "show only whole turns, or what happened within them, too", "z"),
	}
}
