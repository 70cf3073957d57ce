package sessions

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"entire/internal/cli/sessionlib"
	"entire/internal/cli/tui/facts"
	"entire/internal/cli/tui/paint"
	"entire/internal/cli/tui/pane"
)

// A reader shows a part of a conversation, and reads the next part when its end is reached.
type reader struct {
	ask  pane.Asker
	zone *time.Location
	of   sessionlib.ListedSession
	n    int // counts what was asked for

	conversation facts.Conversation
	known        bool
	problem      string
	doc          *pane.Doc
	starts       []int // the line at which each entry begins
	sets         int
	scroll       int
	goal         int // the message that is to be in view once the text is set; -1 for the end, 0 for none
	below        int // lines of it that are above the view
	marked       int // a message that was looked for
}

type (
	conversationRead struct {
		n            int
		conversation facts.Conversation
		goal         int
		err          error
	}
	conversationSet struct {
		n      int
		doc    *pane.Doc
		starts []int
	}
)

// same reports whether a session is shown as far as it has come.
func (r *reader) same(of sessionlib.ListedSession) bool {
	return of.ID == r.of.ID && of.Messages == r.of.Messages && of.Updated.Equal(r.of.Updated)
}

// read reads a conversation around a message, or its end.
func (r *reader) read(of sessionlib.ListedSession, message int) tea.Cmd {
	if of.ID != r.of.ID {
		r.doc, r.starts, r.known, r.problem = nil, nil, false, ""
	}
	r.of, r.marked = of, message
	goal := message
	if message == 0 {
		goal = -1
	}
	return r.load(message, goal)
}

func (r *reader) load(around, goal int) tea.Cmd {
	r.n++
	n, id := r.n, r.of.ID
	return r.ask.Beside("conversation", func(ctx context.Context) tea.Msg {
		conversation, err := r.ask.Source.Conversation(ctx, id, around)
		return conversationRead{n, conversation, goal, err}
	})
}

// take takes what was read. mine is false for what is no longer asked for.
func (r *reader) take(msg conversationRead) (mine bool) {
	if msg.n != r.n {
		return false
	}
	if msg.err != nil {
		r.problem = pane.Capital(facts.Words(msg.err))
		return false
	}
	r.conversation, r.goal, r.known, r.problem = msg.conversation, msg.goal, true, ""
	return true
}

// typeset makes the text for a width.
func (r *reader) typeset(theme *paint.Theme, width int) tea.Cmd {
	if !r.known || width < 1 {
		return nil
	}
	if r.goal == 0 { // the text is made anew: what is at the top stays there
		r.goal = r.topEntry()
		if i := r.goal - r.first(); i >= 0 && i < len(r.starts) {
			r.below = r.scroll - r.starts[i]
		}
	}
	r.sets++
	n, conversation, marked := r.sets, r.conversation, r.marked
	s := pane.Screen{Theme: theme, W: width, Zone: r.zone, Top: r.ask.Source.Place().Top}
	return r.ask.Beside("conversation text", func(context.Context) tea.Msg {
		doc, starts := pane.ConversationText(s, conversation, marked)
		return conversationSet{n, doc, starts}
	})
}

func (r *reader) takeText(msg conversationSet, height int) {
	if msg.n != r.sets {
		return
	}
	r.doc, r.starts = msg.doc, msg.starts
	switch i := r.goal - r.first(); {
	case r.goal < 0:
		r.scroll = r.doc.Scrolled(0, r.doc.Len(), height)
	case r.goal > 0 && i >= 0 && i < len(r.starts):
		r.scroll = r.doc.Scrolled(r.starts[i]+r.below, 0, height)
	}
	r.goal, r.below = 0, 0
}

// first returns the number of the first message at hand.
func (r *reader) first() int {
	if len(r.conversation.Entries) == 0 {
		return 1
	}
	return r.conversation.Entries[0].Number
}

// topEntry returns the number of the message at the top of the view.
func (r *reader) topEntry() int {
	for i := len(r.starts) - 1; i >= 0; i-- {
		if r.starts[i] <= r.scroll {
			return r.first() + i
		}
	}
	return r.first()
}

// move scrolls, and reads on where the messages at hand end.
func (r *reader) move(n, height int) tea.Cmd {
	if r.doc == nil {
		return nil
	}
	before := r.scroll
	r.scroll = r.doc.Scrolled(r.scroll, n, height)
	k := len(r.conversation.Entries)
	switch {
	case r.scroll != before || k == 0:
		return nil
	case n < 0 && r.first() > 1:
		return r.load(r.first(), r.first())
	case n > 0 && r.conversation.Entries[k-1].Number < r.conversation.Total:
		last := r.conversation.Entries[k-1].Number
		return r.load(last, last)
	}
	return nil
}

// nextPrompt scrolls to the next message that a person typed, or the one before.
func (r *reader) nextPrompt(direction, height int) {
	if r.doc == nil {
		return
	}
	at := r.doc.Next(r.scroll, direction)
	r.scroll = r.doc.Scrolled(at, 0, height)
}

// entry returns the message at the top of the view.
func (r *reader) entry() (facts.Entry, bool) {
	i := r.topEntry() - r.first()
	if i < 0 || i >= len(r.conversation.Entries) {
		return facts.Entry{}, false
	}
	return r.conversation.Entries[i], true
}
