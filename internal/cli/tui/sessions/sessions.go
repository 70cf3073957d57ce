package sessions

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"entire/internal/cli/cliui"
	"entire/internal/cli/sessionlib"
	"entire/internal/cli/tui/facts"
	"entire/internal/cli/tui/paint"
	"entire/internal/cli/tui/pane"
)

// Sessions is the panel.
type Sessions struct {
	ask   pane.Asker
	theme *paint.Theme
	w, h  int
	part  int // where keys go

	all          []sessionlib.ListedSession
	short        map[string]string
	known        bool
	problem      string
	at, top      int
	rest         int    // counts the cursor's stops
	want         string // a session that is to be shown, with the message
	message      int
	conversation reader
}

// The parts.
const (
	listPart = iota
	conversationPart
)

// New returns the panel.
func New(ask pane.Asker, theme *paint.Theme, zone *time.Location) *Sessions {
	return &Sessions{ask: ask, theme: theme, conversation: reader{ask: ask, zone: zone}}
}

// SetTheme changes how text is measured and shown.
func (s *Sessions) SetTheme(theme *paint.Theme) tea.Cmd {
	s.theme = theme
	return s.typeset()
}

// typeset makes the text of the conversation for the width that it has.
func (s *Sessions) typeset() tea.Cmd { return s.conversation.typeset(s.theme, s.conversationWidth()-1) }

type (
	listRead struct {
		all []sessionlib.ListedSession
		err error
	}
	restedAt struct{ stop int }
	did      struct {
		tell pane.Tell
		copy string
	}
)

// Show reads the list.
func (s *Sessions) Show() tea.Cmd {
	if s.known {
		return nil
	}
	return s.read()
}

func (s *Sessions) read() tea.Cmd {
	return s.ask.Beside("sessions", func(ctx context.Context) tea.Msg {
		all, err := s.ask.Source.Sessions(ctx)
		return listRead{all, err}
	})
}

// Resize says how large the panel is.
func (s *Sessions) Resize(width, height int) tea.Cmd {
	changed := width != s.w
	s.w, s.h = width, height
	if changed {
		return s.typeset()
	}
	return nil
}

// Typing reports that letters are keys here.
func (s *Sessions) Typing() bool { return false }

// Update takes what was read.
func (s *Sessions) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case listRead:
		return s.take(msg)
	case restedAt:
		if msg.stop == s.rest {
			return s.readConversation(0)
		}
	case conversationRead:
		if s.conversation.take(msg) {
			return s.typeset()
		}
	case conversationSet:
		s.conversation.takeText(msg, s.h)
	case did:
		cmds := []tea.Cmd{s.read(), pane.Send(msg.tell)}
		if msg.copy != "" {
			cmds = append(cmds, tea.SetClipboard(msg.copy))
		}
		return tea.Batch(cmds...)
	case pane.OpenSession:
		return s.open(msg)
	case pane.Changed:
		if s.known {
			return s.read()
		}
	}
	return nil
}

func (s *Sessions) take(msg listRead) tea.Cmd {
	s.problem = ""
	if msg.err != nil {
		s.problem = pane.Capital(facts.Words(msg.err))
		return nil
	}
	id := s.cursorID()
	s.all, s.short, s.known = msg.all, sessionlib.ShortNames(msg.all), true
	if s.want != "" {
		id, s.want = s.want, ""
		s.part = conversationPart
	}
	s.at = max(0, min(s.at, len(s.all)-1))
	for i, one := range s.all {
		if one.ID == id {
			s.at = i
		}
	}
	return s.readConversation(s.message)
}

// open shows a session and a message of it.
func (s *Sessions) open(msg pane.OpenSession) tea.Cmd {
	s.want, s.message = msg.ID, msg.Message
	if s.known {
		return s.take(listRead{all: s.all})
	}
	return nil // Show reads the list
}

// cursor returns the session under the cursor.
func (s *Sessions) cursor() (sessionlib.ListedSession, bool) {
	if s.at < len(s.all) {
		return s.all[s.at], true
	}
	return sessionlib.ListedSession{}, false
}

func (s *Sessions) cursorID() string {
	one, _ := s.cursor()
	return one.ID
}

// readConversation reads the conversation under the cursor, around a message or at its end.
func (s *Sessions) readConversation(message int) tea.Cmd {
	s.message = 0
	one, ok := s.cursor()
	if !ok {
		return nil
	}
	if message == 0 && s.conversation.same(one) {
		return nil
	}
	return s.conversation.read(one, message)
}

// A conversation of more than longConversation messages takes a while to read, so the cursor rests on it longer before.
const (
	longConversation = 2000
	longRests        = 4
)

func (s *Sessions) move(n int) tea.Cmd {
	before := s.at
	s.at = max(0, min(s.at+n, len(s.all)-1))
	if s.at == before {
		return nil
	}
	s.rest++
	stop := s.rest
	rests := time.Duration(1)
	if one, _ := s.cursor(); one.Messages > longConversation {
		rests = longRests
	}
	return tea.Tick(rests*s.ask.Rest, func(time.Time) tea.Msg { return restedAt{stop} })
}

// short returns the beginning of the session's ID that names it.
func (s *Sessions) name(one sessionlib.ListedSession) string {
	if short := s.short[one.ID]; short != "" {
		return short
	}
	return cliui.ShownSession(one.ID)
}

// Command is the command that shows the session.
func (s *Sessions) Command() string {
	one, ok := s.cursor()
	switch {
	case !ok:
		return "entire sessions list"
	case s.part == conversationPart:
		return "entire sessions show " + s.name(one) + " --messages"
	}
	return "entire sessions show " + s.name(one)
}
