package search

import (
	"context"
	"strings"
	"time"

	"charm.land/bubbles/v2/textinput"
	tea "charm.land/bubbletea/v2"

	"entire/internal/cli/cliui"
	"entire/internal/cli/searchlib"
	"entire/internal/cli/tui/facts"
	"entire/internal/cli/tui/paint"
	"entire/internal/cli/tui/pane"
)

// Search is the panel.
type Search struct {
	ask   pane.Asker
	theme *paint.Theme
	zone  *time.Location
	w, h  int

	input    textinput.Model
	n        int // counts the queries
	answer   *searchlib.Answer
	problem  string
	indexing bool
	fresh    bool // the index was brought up to date since the last change
	at, top  int

	near   *pane.Doc // the messages around the hit under the cursor
	nearOf int       // counts the hits that were looked at
	scroll int
}

// New returns the panel.
func New(ask pane.Asker, theme *paint.Theme, zone *time.Location) *Search {
	return &Search{ask: ask, theme: theme, zone: zone, input: pane.NewInput()}
}

// SetTheme changes how text is measured and shown.
func (s *Search) SetTheme(theme *paint.Theme) tea.Cmd {
	s.theme = theme
	return s.readNear()
}

type (
	found struct {
		n      int
		answer *searchlib.Answer
		err    error
	}
	indexed  struct{ err error }
	stayed   struct{ nearOf int }
	nearRead struct {
		n      int
		doc    *pane.Doc
		starts []int
		first  int
		number int
	}
)

// Show has nothing to read.
func (s *Search) Show() tea.Cmd { return nil }

// Resize says how large the panel is.
func (s *Search) Resize(width, height int) tea.Cmd {
	changed := width != s.w
	s.w, s.h = width, height
	if changed {
		return s.readNear()
	}
	return nil
}

// Typing reports that letters are text here.
func (s *Search) Typing() bool { return true }

// Update takes what was found.
func (s *Search) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case found:
		if msg.n == s.n {
			return s.take(msg)
		}
	case indexed:
		s.indexing = false
		if msg.err != nil {
			return pane.Send(pane.Failed("bring the search index up to date", msg.err))
		}
		return s.find()
	case stayed:
		if msg.nearOf == s.nearOf {
			return s.readNear()
		}
	case nearRead:
		if msg.n == s.nearOf {
			s.near = msg.doc
			if i := msg.number - msg.first; i >= 0 && i < len(msg.starts) {
				s.scroll = msg.doc.Scrolled(msg.starts[i]-2, 0, s.nearHeight())
			}
		}
	case tea.PasteMsg:
		s.input, _ = s.input.Update(msg)
		return s.typed()
	case pane.Changed:
		s.fresh = false
	}
	return nil
}

// typed is called when the query has changed.
func (s *Search) typed() tea.Cmd {
	cmds := []tea.Cmd{s.find()}
	if query := s.input.Value(); !s.fresh && !s.indexing && !tooShort(query) {
		s.fresh, s.indexing = true, true
		cmds = append(cmds, s.ask.Apart("index", func(ctx context.Context) tea.Msg {
			return indexed{s.ask.Source.Index(ctx, query)}
		}))
	}
	return tea.Batch(cmds...)
}

// tooShort reports whether a query is the beginning of too many words to be worth an answer: one or
// two letters. Signs of a script without an alphabet say more.
func tooShort(query string) bool { return len(strings.TrimSpace(query)) < 3 }

// find answers the query.
func (s *Search) find() tea.Cmd {
	s.n++
	n, query := s.n, s.input.Value()
	if tooShort(query) {
		s.answer, s.problem, s.near = nil, "", nil
		s.nearOf++
		return nil
	}
	return s.ask.Beside("search", func(ctx context.Context) tea.Msg {
		answer, err := s.ask.Source.Search(ctx, query)
		return found{n, answer, err}
	})
}

func (s *Search) take(msg found) tea.Cmd {
	if msg.err != nil {
		s.problem = pane.Capital(facts.Words(msg.err))
		return nil
	}
	before, _ := s.hit()
	s.answer, s.problem, s.at, s.top = msg.answer, "", 0, 0
	if now, ok := s.hit(); ok && s.near != nil && now.SessionID == before.SessionID && now.Message == before.Message {
		return nil
	}
	s.near = nil
	return s.wantNear()
}

// nearRests is how many times a cursor's rest passes before the messages around a hit are read: somebody who types
// has no use for them, and a long conversation takes a while.
const nearRests = 4

// wantNear reads the messages around the hit under the cursor if it stays there.
func (s *Search) wantNear() tea.Cmd {
	s.nearOf++
	n := s.nearOf
	return tea.Tick(nearRests*s.ask.Rest, func(time.Time) tea.Msg { return stayed{n} })
}

// hit returns the hit under the cursor.
func (s *Search) hit() (searchlib.Hit, bool) {
	if s.answer == nil || s.at >= len(s.answer.Hits) {
		return searchlib.Hit{}, false
	}
	return s.answer.Hits[s.at], true
}

// readNear reads the messages around the hit under the cursor.
func (s *Search) readNear() tea.Cmd {
	s.nearOf++
	hit, ok := s.hit()
	if !ok || hit.SessionID == "" || !s.wide() {
		s.near = nil
		return nil
	}
	n := s.nearOf
	screen := pane.Screen{Theme: s.theme, W: s.nearWidth() - 1, Zone: s.zone, Top: s.ask.Source.Place().Top}
	return s.ask.Beside("near", func(ctx context.Context) tea.Msg {
		conversation, err := s.ask.Source.ConversationNear(ctx, hit.SessionID, hit.Message, 2*nearEach+1)
		if err != nil || len(conversation.Entries) == 0 {
			return nil
		}
		doc, starts := pane.ConversationText(screen, conversation, hit.Message)
		return nearRead{n, doc, starts, conversation.Entries[0].Number, hit.Message}
	})
}

// nearEach is how many messages before and after a hit are shown.
const nearEach = 12

func (s *Search) move(n int) tea.Cmd {
	if s.answer == nil {
		return nil
	}
	before := s.at
	s.at = max(0, min(s.at+n, len(s.answer.Hits)-1))
	if s.at == before {
		return nil
	}
	return s.wantNear()
}

// jump shows the point in time at which a hit was said.
func (s *Search) jump() tea.Cmd {
	hit, ok := s.hit()
	switch {
	case !ok:
		return nil
	case hit.Checkpoint != "":
		return pane.Send(pane.GoTo{Point: hit.Checkpoint})
	}
	return s.ask.ShowPoint(hit.SessionID, hit.Time)
}

// open shows the conversation of a hit.
func (s *Search) open() tea.Cmd {
	hit, ok := s.hit()
	switch {
	case !ok:
		return nil
	case hit.SessionID == "":
		return s.jump()
	}
	return pane.Send(pane.OpenSession{ID: hit.SessionID, Message: hit.Message})
}

// Command is the command that finds the same.
func (s *Search) Command() string {
	if s.input.Value() == "" {
		return ""
	}
	return "entire search " + cliui.ShellWord(s.input.Value())
}
