package sessions

import (
	"context"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"entire/internal/cli/cliui"
	"entire/internal/cli/tui/facts"
	"entire/internal/cli/tui/paint"
	"entire/internal/cli/tui/pane"
)

// Key takes a key.
func (s *Sessions) Key(k tea.KeyPressMsg) (tea.Cmd, bool) {
	key := k.String()
	switch key {
	case "tab", "shift+tab":
		s.part = 1 - s.part
		return nil, true
	case "enter":
		if s.part == listPart {
			s.part = conversationPart
			return nil, true
		}
	case "esc":
		s.part = listPart
		return nil, true
	case "n", "N":
		s.conversation.nextPrompt(map[bool]int{true: 1, false: -1}[key == "n"], s.h)
		return nil, true
	}
	if cmd, used := s.doKey(key); used {
		return cmd, true
	}
	n, ok := pane.ScrollKeys(key, s.h)
	switch {
	case !ok:
		return nil, false
	case s.part == conversationPart:
		return s.conversation.move(n, s.h), true
	case key == "space":
		return s.conversation.move(n, s.h), true
	case n > 1 || n < -1:
		n /= rowLines
	}
	return s.move(n), true
}

// doKey does something with the session under the cursor.
func (s *Sessions) doKey(key string) (tea.Cmd, bool) {
	one, ok := s.cursor()
	if !ok {
		return nil, false
	}
	switch key {
	case "r":
		return s.goOn(one.ID, false), true
	case "F":
		return s.goOn(one.ID, true), true
	case "e":
		return s.run("Rename it:", "entire sessions rename "+s.name(one)+" "+cliui.ShellWord(one.Title)), true
	case "t":
		return s.run("Tag it:", "entire sessions tag "+s.name(one)+" "), true
	case "x":
		return s.run("Write it to a file:", "entire sessions export "+s.name(one)+" -o "+s.name(one)+".entire"), true
	case "T":
		return s.run("Take it to another machine:", "entire share send "+s.name(one)+" --with-code --to origin"), true
	case "o":
		return s.point(one.ID), true
	}
	return nil, false
}

// goOn makes a session, or a fork of it, ready to be continued, and copies the command that does it.
func (s *Sessions) goOn(id string, fork bool) tea.Cmd {
	return s.ask.Beside("do", func(ctx context.Context) tea.Msg {
		c, err := s.ask.Source.Resume(context.WithoutCancel(ctx), id, fork)
		switch {
		case err != nil:
			return did{tell: pane.Tell{Text: pane.Capital(facts.Words(err)), Role: paint.Bad}}
		case c.Command == "":
			return did{tell: pane.Tell{Text: "session " + cliui.ShownSession(c.ID) + " is ready; how its agent continues one is not known", Role: paint.Warn}}
		}
		return did{pane.Tell{Text: "copied, to continue it: " + c.Command, Role: paint.Good}, c.Command}
	})
}

// run offers a command, which the person completes.
func (s *Sessions) run(title, command string) tea.Cmd {
	return pane.Send(pane.Ask{Title: title, Value: command, Done: func(line string) tea.Cmd {
		return s.ask.Beside("do", func(ctx context.Context) tea.Msg {
			out, err := s.ask.Source.Perform(context.WithoutCancel(ctx), line)
			if err != nil {
				return did{tell: pane.Tell{Text: pane.Capital(facts.Words(err)), Role: paint.Bad}}
			}
			return did{tell: pane.Tell{Text: strings.ReplaceAll(out, "\n", "; "), Role: paint.Good}}
		})
	}})
}

// point shows the message at the top of the view, or the session's newest point, in the timeline.
func (s *Sessions) point(id string) tea.Cmd {
	var at time.Time
	if e, ok := s.conversation.entry(); ok && s.part == conversationPart {
		at = e.Timestamp
	}
	return s.ask.ShowPoint(id, at)
}

// Mouse moves the cursor to what is clicked, and scrolls.
func (s *Sessions) Mouse(m tea.Mouse, does pane.MouseDoes) tea.Cmd {
	inList := s.part == listPart
	if s.wide() {
		inList = m.X < s.listWidth()
	}
	n := map[pane.MouseDoes]int{pane.WheelUp: -pane.Wheel, pane.WheelDown: pane.Wheel}[does]
	switch {
	case does == pane.Clicks && inList:
		s.part = listPart
		if i := s.top + m.Y/rowLines; i < len(s.all) {
			return s.move(i - s.at)
		}
	case does == pane.Clicks:
		s.part = conversationPart
	case inList:
		return s.move(n)
	default:
		return s.conversation.move(n, s.h)
	}
	return nil
}

// Help returns the keys of the panel.
func (s *Sessions) Help() []pane.Binding {
	return []pane.Binding{
		pane.Bind("enter", "read the conversation", "enter"), pane.Bind("esc", "go back to the list", ""), pane.Bind("tab", "go to the other part", "tab"),
		pane.Bind("space", "scroll the conversation", ""), pane.Bind("n N", "go to the next or last prompt", ""),
		pane.Bind("o", "show it in the timeline", "o"), pane.Bind("r", "make the session ready to be continued", "r"),
		pane.Bind("F", "fork it: a new session of its messages", "F"), pane.Bind("e", "rename it", "e"), pane.Bind("t", "tag it", "t"),
		pane.Bind("x", "export it to a file", "x"), pane.Bind("T", "take it to another machine", "T"),
	}
}
