package search

import (
	tea "charm.land/bubbletea/v2"

	"entire/internal/cli/tui/pane"
)

// Key takes a key: those that move, and all others as text.
func (s *Search) Key(k tea.KeyPressMsg) (tea.Cmd, bool) {
	switch k.String() {
	case "esc":
		if s.input.Value() == "" {
			return pane.Send(pane.Leave{}), true
		}
		s.input.SetValue("")
		return s.typed(), true
	case "up", "ctrl+p":
		return s.move(-1), true
	case "down", "ctrl+n":
		return s.move(1), true
	case "pgup":
		s.scrollNear(1 - s.nearHeight())
	case "pgdown":
		s.scrollNear(s.nearHeight() - 1)
	case "tab":
		return s.jump(), true
	case "enter":
		return s.open(), true
	default:
		before := s.input.Value()
		s.input, _ = s.input.Update(k)
		if s.input.Value() != before {
			return s.typed(), true
		}
	}
	return nil, true
}

func (s *Search) scrollNear(n int) {
	if s.near != nil {
		s.scroll = s.near.Scrolled(s.scroll, n, s.nearHeight())
	}
}

// Mouse moves the cursor to what is clicked, and scrolls.
func (s *Search) Mouse(m tea.Mouse, does pane.MouseDoes) tea.Cmd {
	n := map[pane.MouseDoes]int{pane.WheelUp: -pane.Wheel, pane.WheelDown: pane.Wheel}[does]
	switch inList := !s.wide() || m.X < s.listWidth(); {
	case does == pane.Clicks && inList && m.Y >= headLines:
		return s.move(s.top + (m.Y-headLines)/hitLines - s.at)
	case does == pane.Clicks:
	case inList:
		return s.move(n)
	default:
		s.scrollNear(n)
	}
	return nil
}

// Help returns the keys of the panel.
func (s *Search) Help() []pane.Binding {
	return []pane.Binding{
		pane.Bind("a text", "finds it in all that was said, asked and done; \"two words\", -not, agent:, since:, file: and more narrow it", ""),
		pane.Bind("↑ ↓", "go to another hit", ""), pane.Bind("tab", "show the point in time at which it was said", "tab"),
		pane.Bind("enter", "read the conversation from there", "enter"), pane.Bind("PgUp PgDn", "scroll what was said around it", ""),
		pane.Bind("esc", "begin anew, and then leave", ""),
	}
}
