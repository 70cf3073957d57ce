package mcpserver

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"entire/internal/cli/searchlib"
	"entire/internal/cli/sessionlib"
)

type recallIn struct {
	Query string `json:"query" jsonschema:"words, \"a phrase\", -without, OR; filters such as file:PATH, role:user, session:ID"`
	Since string `json:"since,omitempty" jsonschema:"only what is newer: a date, or 7d, 12h"`
	Until string `json:"until,omitempty" jsonschema:"only what is older"`
	Limit int    `json:"limit,omitempty" jsonschema:"the largest number of turns: 8 if left out, at most 50"`
	size
}

const (
	usualHits = 8
	mostHits  = 50
	headCost  = 55 // of the line above a quotation
	least     = 25 // of a quotation
	usual     = 90
)

// recall finds turns, sessions and checkpoints.
func (t *tools) recall(ctx context.Context, in recallIn) (text string, err error) {
	limit := min(cmp.Or(max(in.Limit, 0), usualHits), mostHits)
	o := searchlib.Options{Since: in.Since, Until: in.Until, Limit: max(3*limit, 30), Lean: true}
	err = sessionlib.WithLibrary(ctx, t.env, func(l *sessionlib.Library) error {
		found, err := searchlib.Search(ctx, l, in.Query, o)
		if err != nil {
			return err
		}
		if len(found.Hits) > 0 {
			text, err = t.hitsText(ctx, l, found, limit, in.limit())
			return err
		}
		all, err := l.Here(ctx)
		switch {
		case err != nil:
			return err
		case len(all) == 0:
			text = "No session has been recorded in this project yet, so there is nothing to find.\n"
		default:
			text = fmt.Sprintf("Nothing found in %d sessions. Try fewer words, or OR between them.\n", len(all))
		}
		return nil
	})
	return text, err
}

// hitsText writes at most most turns, the best first, as long as there is room: what was asked, what matches
// and, as far as the other turns leave room, how it ended.
func (t *tools) hitsText(ctx context.Context, l *sessionlib.Library, found *searchlib.Answer, most, limit int) (string, error) {
	groups, err := t.groups(ctx, l, found.Hits)
	if err != nil {
		return "", err
	}
	w := hitWriter{found: found, left: limit - tokens(dataNote) - tokens(moreNote)}
	groups = groups[:min(len(groups), most)]
	for i, g := range groups {
		if w.left < headCost+least {
			w.page.say(moreNote)
			break
		}
		rest := (len(groups) - i - 1) * (headCost + least) // what the other turns need at least
		w.group(g, w.left-rest > 4*usual, i == 0)
	}
	return w.page.String(), nil
}

const (
	moreNote = "(more was found; max_tokens shows more)\n"
	hitsOf   = 3 // hits of one turn
)

// A hitWriter writes an answer of hits.
type hitWriter struct {
	found *searchlib.Answer
	page  page
	left  int // tokens
}

// group writes one turn in the order of its messages; the best turn gets more room.
func (w *hitWriter) group(g group, full, best bool) {
	room := usual
	if best {
		room = 2 * usual
	}
	hits := slices.Clone(g.hits[:min(len(g.hits), hitsOf)])
	slices.SortFunc(hits, func(a, b searchlib.Hit) int { return cmp.Compare(a.Message, b.Message) })
	whole := true
	add := func(h searchlib.Hit, number int, about, text string, room int) {
		before := w.page.text.Len()
		if w.left < headCost+least {
			return
		}
		w.page.say(hitHead(w.found, h, number, about, whole))
		w.page.quote(text, max(min(room, w.left-headCost), least))
		w.left -= tokens(w.page.text.String()[before:])
		whole = false
	}
	matches := func(e *sessionlib.NumberedEntry) bool {
		return e == nil || slices.ContainsFunc(hits, func(h searchlib.Hit) bool { return h.Message == e.Number })
	}
	if full && !matches(g.prompt) {
		add(hits[0], g.prompt.Number, g.prompt.Role+aboutEntry(*g.prompt), entryText(*g.prompt), usual/2)
	}
	for _, h := range hits {
		text := h.Snippet
		if g.end != nil && g.end.Number == h.Message && tokens(entryText(*g.end)) <= room {
			text = entryText(*g.end)
		}
		add(h, h.Message, cmp.Or(h.Role, h.Kind)+aboutHit(h), text, room)
	}
	if full && !matches(g.end) {
		add(hits[0], g.end.Number, g.end.Role+aboutEntry(*g.end), entryText(*g.end), room)
	}
}

func aboutHit(h searchlib.Hit) string {
	about := ""
	if !h.Time.IsZero() {
		about = h.Time.UTC().Format(" 2006-01-02 15:04")
	}
	if h.Failed {
		about += " failed"
	}
	return about
}

// hitHead returns the line above a quotation: its ID, who said it and when and, for a whole line, in which
// session.
func hitHead(found *searchlib.Answer, h searchlib.Hit, number int, about string, whole bool) string {
	name, words := cmp.Or(found.Short[h.SessionID], h.SessionID), []string{about}
	switch {
	case h.Kind == "checkpoint":
		name = h.Checkpoint
	case number > 0:
		name = fmt.Sprintf("%s#%d", name, number)
	}
	title := ""
	if whole {
		if h.Rewound {
			words = append(words, "rewound")
		}
		if h.Title != "" {
			title = " in " + named(h.Title, 15)
		}
	}
	return fmt.Sprintf("%s  %s%s\n", name, strings.Join(words, ", "), title)
}
