package files

import (
	tea "charm.land/bubbletea/v2"

	"entire/internal/cli/tui/pane"
)

// Key takes a key.
func (f *Files) Key(k tea.KeyPressMsg) (tea.Cmd, bool) {
	key := k.String()
	if f.typing {
		return f.typeKey(k), true
	}
	switch key {
	case "tab":
		f.nextPart(1)
		return nil, true
	case "shift+tab":
		f.nextPart(-1)
		return nil, true
	case "/":
		f.typing, f.part = true, pathsPart
		return nil, true
	case "s", "b":
		return f.turnTo(key == "s"), true
	}
	switch {
	case f.part == pathsPart:
		return f.listKey(key)
	case key == "esc":
		f.back()
		return nil, true
	case f.scrub:
		return f.states.key(key, f.textHeight())
	}
	cmd, used := f.blame.key(key, f.part == whyPart, f.textHeight())
	if f.blame.why == nil && f.part == whyPart {
		f.part = textPart
	}
	if f.blame.asked && f.part == textPart && key == "enter" {
		f.part = whyPart
	}
	return cmd, used
}

// back leaves the innermost part.
func (f *Files) back() {
	if f.part == whyPart || f.blame.asked {
		f.blame.closeWhy()
		f.part = textPart
		return
	}
	f.part = pathsPart
}

// turnTo shows the states or the owners of the open file, or of the one under the cursor.
func (f *Files) turnTo(states bool) tea.Cmd {
	path := f.cursor()
	switch {
	case f.part != pathsPart && f.scrub:
		path = f.states.path
	case f.part != pathsPart && f.open:
		path = f.blame.path
	}
	if path == wholeTree && !states {
		return pane.Send(pane.Tell{Text: "a file has owners of its lines, the whole tree has not"})
	}
	return f.openFile(pane.OpenFile{Path: path, States: states, Line: f.blame.lineOf(path)})
}

func (f *Files) typeKey(k tea.KeyPressMsg) tea.Cmd {
	switch k.String() {
	case "esc":
		f.typing = false
		f.input.SetValue("")
		f.narrow()
	case "enter":
		f.typing = false
		return f.enter()
	case "up", "ctrl+p":
		f.move(-1)
	case "down", "ctrl+n":
		f.move(1)
	default:
		f.input, _ = f.input.Update(k)
		f.narrow()
	}
	return nil
}

func (f *Files) listKey(key string) (tea.Cmd, bool) {
	switch key {
	case "up", "k":
		f.move(-1)
	case "down", "j":
		f.move(1)
	case "pgup", "ctrl+b":
		f.move(2 - f.h)
	case "pgdown", "ctrl+f", "space":
		f.move(f.h - 2)
	case "home", "g":
		f.move(-len(f.shown))
	case "end", "G":
		f.move(len(f.shown))
	case "enter", "right":
		return f.enter(), true
	default:
		return nil, false
	}
	return nil, true
}

func (f *Files) move(n int) { f.at = max(0, min(f.at+n, len(f.shown)-1)) }

func (f *Files) nextPart(by int) {
	parts := 1
	if f.open {
		parts = 2
	}
	if f.open && !f.scrub && f.blame.asked {
		parts = 3
	}
	f.part = ((f.part+by)%parts + parts) % parts
}

// Mouse moves the cursor to what is clicked, and scrolls.
func (f *Files) Mouse(m tea.Mouse, does pane.MouseDoes) tea.Cmd {
	part, y := f.partAt(m.X), m.Y
	n := map[pane.MouseDoes]int{pane.WheelUp: -pane.Wheel, pane.WheelDown: pane.Wheel}[does]
	switch {
	case part == pathsPart && does == pane.Clicks:
		f.part = pathsPart
		if i := f.top + y - 1; y >= 1 && i < len(f.shown) {
			f.at = i
			return f.enter()
		}
	case part == pathsPart:
		f.move(n)
	case f.scrub:
		f.part = textPart
		if does != pane.Clicks {
			f.states.move(n, f.textHeight())
		}
	case part == whyPart:
		f.part = whyPart
		f.blame.scrollWhy(n)
	default:
		f.part = textPart
		f.blame.mouse(y, does, n)
	}
	return nil
}

// Help returns the keys of the panel.
func (f *Files) Help() []pane.Binding {
	out := []pane.Binding{
		pane.Bind("/", "find a file by parts of its path", "/"), pane.Bind("enter", "open the file; why a line is as it is", ""),
		pane.Bind("tab", "go to the next part", "tab"), pane.Bind("esc", "go back", ""),
		pane.Bind("s", "step through the states of the file", "s"), pane.Bind("b", "show the owners of the file's lines", "b"),
	}
	if f.scrub {
		return append(out, f.states.help()...)
	}
	return append(out, f.blame.help()...)
}
