package tui

import (
	tea "charm.land/bubbletea/v2"

	"entire/internal/cli/rewindlib"
	"entire/internal/cli/tui/pane"
	"entire/strategy/condense"
)

// A layer lies over the panel and takes all keys.
type layer interface {
	// key takes a key; done ends the layer.
	key(tea.KeyPressMsg) (cmd tea.Cmd, done bool)
	paste(text string)
}

// key gives a key to what lies on top, then to the panel, then to the program.
func (a *App) key(k tea.KeyPressMsg) tea.Cmd {
	if k.String() == "ctrl+c" {
		return tea.Quit
	}
	a.told = pane.Tell{}
	if n := len(a.over); n > 0 {
		top := a.over[n-1]
		cmd, done := top.key(k)
		if done {
			a.remove(top)
		}
		return cmd
	}
	if cmd, used := a.pane().Key(k); used || a.pane().Typing() {
		return cmd
	}
	return a.ownKey(k.String())
}

// remove takes a layer away. Another one may have been put over it meanwhile.
func (a *App) remove(l layer) {
	for i, other := range a.over {
		if other == l {
			a.over = append(a.over[:i:i], a.over[i+1:]...)
			return
		}
	}
}

// ownKey takes a key that works everywhere.
func (a *App) ownKey(key string) tea.Cmd {
	switch key {
	case "q":
		return tea.Quit
	case "?":
		a.over = append(a.over, &help{title: a.tabs[a.at].name, keys: a.pane().Help(), everywhere: a.bindings()})
	case ":":
		a.over = append(a.over, newPalette(a))
	case "y":
		if c := a.pane().Command(); c != "" {
			return func() tea.Msg { return pane.Copy{Text: c} }
		}
	case "/":
		return a.show(searchTab)
	case "esc", "backspace":
		if len(a.before) > 0 {
			return a.leave()
		}
	case "ctrl+l":
		return tea.ClearScreen
	case "ctrl+z":
		return tea.Suspend
	case "l":
		return a.askLabel()
	case "u":
		return a.openSheet(condense.RewindUndo, a.back.Undo)
	case "U":
		return a.openSheet(condense.RewindRedo, a.back.Redo)
	default:
		if len(key) == 1 && key[0] >= '1' && int(key[0]-'1') < len(a.tabs) {
			return a.show(int(key[0] - '1'))
		}
	}
	return nil
}

// openSheet shows what an undo or a redo would do.
func (a *App) openSheet(kind condense.RewindKind, of string) tea.Cmd {
	return pane.Send(pane.OpenSheet{Request: rewindlib.Request{Kind: kind}, Of: of})
}

// bindings are the keys that work everywhere.
func (a *App) bindings() []pane.Binding {
	return []pane.Binding{
		{Keys: "u", Does: "look at what undoing the last rewind would do", Press: "u"},
		{Keys: "U", Does: "look at what redoing it would do", Press: "U"},
		{Keys: "1 2 3 4 5", Does: "go to another panel"},
		{Keys: "/", Does: "search in all that was said, asked and done", Press: "/"},
		{Keys: "esc", Does: "go back to the panel before", Press: "esc"},
		{Keys: ":", Does: "search all commands"},
		{Keys: "l", Does: "save the files as they are now, under a label", Press: "l"},
		{Keys: "y", Does: "copy the command in the last line", Press: "y"},
		{Keys: "?", Does: "show these keys", Press: "?"},
		{Keys: "q", Does: "leave", Press: "q"},
	}
}

// paste gives pasted text to what is being typed.
func (a *App) paste(msg tea.PasteMsg) tea.Cmd {
	if n := len(a.over); n > 0 {
		a.over[n-1].paste(msg.Content)
		return nil
	}
	return a.pane().Update(msg)
}

// mouse gives the mouse to the line of tabs or to the panel.
func (a *App) mouse(m tea.Mouse, does pane.MouseDoes) tea.Cmd {
	if len(a.over) > 0 {
		return nil
	}
	if m.Y < headLines {
		if i := a.tabAt(m.X); does == pane.Clicks && i >= 0 {
			return a.show(i)
		}
		return nil
	}
	if m.Y -= headLines; m.Y < a.bodyHeight() {
		m.X -= margin
		return a.pane().Mouse(m, does)
	}
	return nil
}
