package pages

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"

	"entire/internal/cli/cliui"
	"entire/internal/cli/sessionlib"
	"entire/internal/cli/web/view"
	"entire/session"
	"entire/strategy/resume"
)

const (
	sessionsShown    = 100
	conversationRoom = 34 << 10
	foundMax         = 200
)

// A sessionsPage lists the sessions of the project.
type sessionsPage struct {
	Sessions []sessionlib.ListedSession `json:"sessions"`
	Total    int                        `json:"total"`
	Query    string                     `json:"query,omitempty"`
	Short    map[string]string          `json:"-"`
}

// sessions lists the sessions, or those whose title, tag, agent or branch has a text.
func (p *Pages) sessions(ctx context.Context, r *http.Request) (*answer, error) {
	page := sessionsPage{Query: strings.TrimSpace(r.FormValue("q"))}
	err := sessionlib.WithLibrary(ctx, p.env, func(l *sessionlib.Library) (err error) {
		page.Sessions, err = l.Here(ctx)
		return err
	})
	if err != nil {
		return nil, err
	}
	page.Short = sessionlib.ShortNames(page.Sessions)
	page.Sessions = slices.DeleteFunc(page.Sessions, func(s sessionlib.ListedSession) bool { return !about(s, page.Query) })
	page.Total = len(page.Sessions)
	from := min(intOf(r, "from", 0), page.Total)
	a := &answer{template: "sessions", title: "Sessions", section: "sessions", live: true}
	if from > 0 {
		a.newer = p.o.Links.Sessions(page.Query, max(from-sessionsShown, 0))
	}
	if page.Total-from > sessionsShown {
		a.older = p.o.Links.Sessions(page.Query, from+sessionsShown)
	}
	page.Sessions = page.Sessions[from:min(from+sessionsShown, page.Total)]
	a.body = page
	return a, nil
}

// about reports whether a session has a text in what a list shows of it.
func about(s sessionlib.ListedSession, text string) bool {
	all := strings.Join(slices.Concat([]string{s.ID, sessionlib.TitleOf(s), string(s.Agent), s.Model}, s.Tags, s.AutoTags, s.Branches), "\n")
	return strings.Contains(strings.ToLower(all), strings.ToLower(text))
}

// A sessionPage is a session with a part of its conversation.
type sessionPage struct {
	Session  sessionlib.ListedSession `json:"session"`
	From     int                      `json:"from"`
	Total    int                      `json:"total"`
	Messages []view.Said              `json:"messages"`
	Prompts  []heard                  `json:"prompts,omitempty"`
	Find     string                   `json:"find,omitempty"`
	Found    []heard                  `json:"found,omitempty"`
	More     bool                     `json:"more_found,omitempty"`
	Problem  string                   `json:"problem,omitempty"` // why there is nothing to read

	Entries        []view.Entry `json:"-"`
	To             int          `json:"-"`
	Around         [][2]string  `json:"-"`
	Earlier, Later string       `json:"-"`
}

// Title returns the title of the session.
func (s sessionPage) Title() string { return sessionlib.TitleOf(s.Session) }

// session shows a session and a part of its conversation.
func (p *Pages) session(ctx context.Context, r *http.Request) (*answer, error) {
	page := sessionPage{From: max(intOf(r, "from", 1), 1), Find: strings.TrimSpace(r.FormValue("find")), Messages: []view.Said{}}
	n := min(max(intOf(r, "limit", partMax), 1), partMax)
	err := sessionlib.WithLibrary(ctx, p.env, func(l *sessionlib.Library) error {
		s, err := l.Find(ctx, r.PathValue("id"))
		if err != nil {
			return err
		}
		page.Session = s
		p.begin(ctx, &answer{title: page.Title(), section: "sessions"})
		page.Around = sessionlib.AroundLines(s)
		if err = page.read(ctx, p, l, n); errors.Is(err, session.ErrNotFound) || err == nil && page.Total == 0 {
			page.Problem = "Its conversation is not stored here: the agent may not have written anything yet, or have deleted it before it was stored."
			return nil
		}
		page.addImages(ctx, p, l)
		if err == nil && p.o.Static && page.From == 1 {
			err = p.divide(ctx, l, page, n)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	room := view.NewRoom(conversationRoom)
	var shown int
	page.Entries, shown = view.Entries(page.Messages, page.Session.Folder, room)
	page.Messages = page.Messages[:shown]
	page.To = page.From + max(shown-1, 0)
	id := page.Session.ID
	a := &answer{template: "session", title: page.Title(), section: "sessions", body: &page}
	if page.From > 1 {
		page.Earlier = p.o.Links.Message(id, max(page.From-n, 1))
	}
	if page.To < page.Total {
		page.Later = p.o.Links.Message(id, page.To+1)
	}
	a.newer, a.older = page.Earlier, page.Later
	return a, nil
}

// read reads the part of the conversation that the page shows, and what the page finds in all of it.
func (page *sessionPage) read(ctx context.Context, p *Pages, l *sessionlib.Library, n int) error {
	s := page.Session
	store, stored := l.Source(ctx, s).(*session.Store)
	if !stored {
		return page.walk(ctx, l, n)
	}
	known, err := p.readings.get(ctx, store, s.Project+" ", s.ID)
	if err != nil {
		return err
	}
	page.Total, page.Prompts = known.Total, known.prompts
	page.From = min(page.From, max(known.Total, 1))
	if page.Messages, err = known.part(ctx, store, s.ID, page.From, n); err != nil || page.Find == "" {
		return err
	}
	page.Found, page.More, err = known.find(ctx, store, s.ID, page.Find, foundMax)
	return err
}

func (page *sessionPage) walk(ctx context.Context, l *sessionlib.Library, n int) error {
	return walked(ctx, l, page.Session, func(m view.Said) bool {
		page.Total = m.Number
		if m.Number >= page.From && len(page.Messages) < n {
			page.Messages = append(page.Messages, m)
		}
		if m.IsPrompt() && len(page.Prompts) < promptsMax {
			page.Prompts = append(page.Prompts, heard{m.Number, cliui.ShortLine(m.Content, 120)})
		}
		if page.Find != "" && len(page.Found) < foundMax {
			if hit, ok := holds(m, page.Find); ok {
				page.Found = append(page.Found, heard{m.Number, hit})
			}
		}
		return true
	})
}

// rename gives a session a title.
func (p *Pages) rename(w http.ResponseWriter, r *http.Request) {
	ctx := context.WithoutCancel(r.Context())
	id := ""
	err := sessionlib.WithLibrary(ctx, p.env, func(l *sessionlib.Library) error {
		s, err := l.Rename(ctx, r.PathValue("id"), r.PostFormValue("title"))
		id = s.ID
		return err
	})
	if err != nil {
		p.fail(w, r, err)
		return
	}
	http.Redirect(w, r, p.o.Links.Session(id), http.StatusSeeOther)
}

// unknownSession reports whether an error says that there is no such session.
func unknownSession(err error) bool { return errors.Is(err, resume.ErrNoSession) }

// divide finds where the parts of a session begin, so that a link to a message leads to a part that is written.
func (p *Pages) divide(ctx context.Context, l *sessionlib.Library, page sessionPage, n int) error {
	begins := []int{1}
	for {
		_, shown := view.Entries(page.Messages, page.Session.Folder, view.NewRoom(conversationRoom))
		next := page.From + shown
		if shown == 0 || next > page.Total {
			break
		}
		begins = append(begins, next)
		page = sessionPage{Session: page.Session, From: next}
		if err := page.read(ctx, p, l, n); err != nil {
			return err
		}
	}
	if p.parts == nil {
		p.parts = map[string][]int{}
	}
	p.parts[page.Session.ID] = begins
	return nil
}

// Part returns where the part of a session begins that has a message, of pages that become files.
func (p *Pages) Part(id string, message int) int {
	begin := 1
	for _, from := range p.parts[id] {
		if from <= message {
			begin = from
		}
	}
	return begin
}
