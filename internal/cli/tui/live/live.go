package live

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"entire/internal/cli/cliui"
	"entire/internal/cli/statuslib"
	"entire/internal/cli/tui/facts"
	"entire/internal/cli/tui/pane"
)

// Live is the panel.
type Live struct {
	ask   pane.Asker
	every time.Duration
	h     int

	live    facts.Live
	known   bool
	problem string
	shown   bool // it is in view, so that it is read again and again
	reading bool
	again   bool // something has changed while it was read
	looks   int  // counts the looks that were asked for
	at      int  // the session under the cursor
	scroll  int
}

// New returns the panel. While it is in view, it looks again every so often, and rarely while it is not; 0 for
// never.
func New(ask pane.Asker, every time.Duration) *Live { return &Live{ask: ask, every: every} }

// Read says what was read; the whole program shows the alarm of it.
type Read struct {
	Live facts.Live
	err  error
}

// lookAgain asks for the next look, because an agent's own transcript tells nobody that it grows. Only the
// one that was asked for last counts.
type lookAgain struct{ n int }

// Show begins to look.
func (l *Live) Show() tea.Cmd {
	l.shown = true
	return l.Look()
}

// Hide makes the looks rare.
func (l *Live) Hide() { l.shown = false }

// hiddenRests is how many times rarer the looks are while the panel is not in view, only for the alarm.
const hiddenRests = 30

// later asks for the next look.
func (l *Live) later() tea.Cmd {
	if l.every == 0 {
		return nil
	}
	l.looks++
	n, after := l.looks, l.every
	if !l.shown {
		after *= hiddenRests
	}
	return tea.Tick(after, func(time.Time) tea.Msg { return lookAgain{n} })
}

// Look reads what runs.
func (l *Live) Look() tea.Cmd {
	if l.reading {
		l.again = true
		return nil
	}
	l.reading, l.again = true, false
	return l.ask.Apart("live", func(ctx context.Context) tea.Msg {
		live, err := l.ask.Source.Live(ctx)
		return Read{live, err}
	})
}

// Resize says how large the panel is.
func (l *Live) Resize(_, height int) tea.Cmd {
	l.h = height
	return nil
}

// Typing reports that letters are keys here.
func (l *Live) Typing() bool { return false }

// Update takes what was read.
func (l *Live) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case Read:
		l.reading = false
		if msg.err != nil {
			l.problem = pane.Capital(facts.Words(msg.err))
			return nil
		}
		l.live, l.known, l.problem = msg.Live, true, ""
		l.at = max(0, min(l.at, len(l.sessions())-1))
		if l.again {
			return l.Look()
		}
		return l.later()
	case lookAgain:
		if msg.n == l.looks {
			return l.Look()
		}
	case pane.Changed:
		return l.Look()
	}
	return nil
}

// sessions returns the sessions that run, those of this worktree first.
func (l *Live) sessions() []statuslib.ActiveSession {
	if l.live.Status == nil {
		return nil
	}
	var here, elsewhere []statuslib.ActiveSession
	for _, s := range l.live.Status.Sessions {
		switch {
		case s.Ended != nil:
		case s.Here:
			here = append(here, s)
		default:
			elsewhere = append(elsewhere, s)
		}
	}
	return append(here, elsewhere...)
}

// Key takes a key.
func (l *Live) Key(k tea.KeyPressMsg) (tea.Cmd, bool) {
	all := l.sessions()
	switch key := k.String(); key {
	case "enter":
		if l.at < len(all) {
			return pane.Send(pane.OpenSession{ID: all[l.at].ID}), true
		}
	case "o":
		if l.at < len(all) {
			return l.ask.ShowPoint(all[l.at].ID, time.Time{}), true
		}
	case "up", "k", "down", "j":
		n := map[bool]int{true: -1, false: 1}[key == "up" || key == "k"]
		if next := l.at + n; next >= 0 && next < len(all) {
			l.at = next
		}
	default:
		n, ok := pane.ScrollKeys(key, l.h)
		l.scroll = max(0, l.scroll+min(n, 1<<20))
		return nil, ok
	}
	return nil, true
}

// Mouse scrolls.
func (l *Live) Mouse(_ tea.Mouse, does pane.MouseDoes) tea.Cmd {
	switch does {
	case pane.WheelUp:
		l.scroll = max(0, l.scroll-pane.Wheel)
	case pane.WheelDown:
		l.scroll += pane.Wheel
	}
	return nil
}

// Help returns the keys of the panel.
func (l *Live) Help() []pane.Binding {
	return []pane.Binding{
		pane.Bind("↑ ↓  k j", "go to another session", ""), pane.Bind("enter", "read its conversation", "enter"),
		pane.Bind("o", "show its newest point in the timeline", "o"), pane.Bind("PgUp PgDn", "scroll", ""),
	}
}

// Command is the command that shows the same.
func (l *Live) Command() string {
	if all := l.sessions(); l.at < len(all) {
		return "entire sessions show " + cliui.ShownSession(all[l.at].ID)
	}
	return "entire status"
}
