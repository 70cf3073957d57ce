package panes

import (
	tea "charm.land/bubbletea/v2"

	"entire/internal/cli/cliui"
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
	case "space", "b", "n", "N":
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
	case "pgup", "b", "ctrl+b":
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
func (t *Timeline) Mouse(m tea.Mouse, does MouseDoes) tea.Cmd {
	y := m.Y
	if t.columns() == 1 {
		if y--; y < 0 && does == Clicks {
			t.part = tabAt(t.tabs(), m.X, t.part)
			return nil
		}
	}
	part, _ := t.partAt(m.X)
	switch {
	case does == Clicks && part == listPart:
		t.part = listPart
		_, at := t.list.rows(Screen{Theme: t.theme, W: t.widths()[0], H: t.bodyHeight(), Zone: t.list.zone})
		if y >= 0 && y < len(at) && at[y] >= 0 {
			t.list.to(at[y])
		}
	case does == Clicks:
		t.part = part
	case part == listPart:
		t.list.move(map[MouseDoes]int{WheelUp: -wheel, WheelDown: wheel}[does])
	default:
		if doc := t.docOf(part); doc != nil {
			t.scroll[part] = doc.Scrolled(t.scroll[part], map[MouseDoes]int{WheelUp: -wheel, WheelDown: wheel}[does], t.bodyHeight())
		}
	}
	return tea.Batch(t.need(), t.stopped())
}

// wheel is how many lines one turn of the wheel scrolls.
const wheel = 3

// Command is the command that shows the point under the cursor.
func (t *Timeline) Command() string {
	p, ok := t.Cursor()
	if !ok {
		return "entire log"
	}
	return "entire show " + cliui.ShortID(p.ID)
}

// Help returns the keys of the panel.
func (t *Timeline) Help() []Binding {
	return []Binding{
		{"↑ ↓  k j", "move by one point", ""}, {"PgUp PgDn", "move by a page", ""},
		{"Home End  g G", "go to the newest or the oldest point", ""},
		{"tab", "go to the next part: points, what was said, what changed", "tab"},
		{"space b", "scroll the point", ""}, {"n N", "go to the next part or file of the point", ""},
		{"z", "show only whole turns, or what happened within them, too", "z"},
	}
}
