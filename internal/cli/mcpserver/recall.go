package mcpserver

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"entire/internal/cli/searchlib"
	"entire/internal/cli/sessionlib"
)

type recallIn struct {
	Query string `json:"query" jsonschema:"words, \"a phrase\", -without, OR; filters such as file:PATH, role:user, session:ID"`
	Since string `json:"since,omitempty" jsonschema:"only what is newer: a date, or 7d, 12h"`
	Until string `json:"until,omitempty" jsonschema:"only what is older"`
	Limit int    `json:"limit,omitempty" jsonschema:"the largest number of hits: 8 if left out, at most 50"`
	size
}

const (
	usualHits = 8
	mostHits  = 50
	headCost  = 55 // of the line above a quotation
	least     = 25 // of a quotation
)

// recall finds messages, sessions and checkpoints.
func (t *tools) recall(ctx context.Context, in recallIn) (text string, err error) {
	o := searchlib.Options{Since: in.Since, Until: in.Until, Limit: min(cmp.Or(max(in.Limit, 0), usualHits), mostHits), Lean: true}
	err = sessionlib.WithLibrary(ctx, t.env, func(l *sessionlib.Library) error {
		found, err := searchlib.Search(ctx, l, in.Query, o)
		if err != nil {
			return err
		}
		if len(found.Hits) > 0 {
			text = t.hitsText(ctx, l, found, in.limit())
			return nil
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

// hitsText writes hits, the best first. The first gets more room than the others, because it mostly is the
// answer.
func (t *tools) hitsText(ctx context.Context, l *sessionlib.Library, found *searchlib.Answer, limit int) string {
	var p page
	left := limit - tokens(dataNote) - tokens(cutNote) - headCost*len(found.Hits)
	for i, h := range found.Hits {
		p.say(hitHead(found, h))
		room := max(left/(len(found.Hits)-i), least)
		if i == 0 {
			room = max(left/2, least)
		}
		before := p.text.Len()
		p.quote(h.Snippet, room)
		left -= tokens(p.text.String()[before:])
	}
	return p.String()
}

// hitHead returns the line above a hit's quotation: its ID, who said it and when, in which session.
func hitHead(found *searchlib.Answer, h searchlib.Hit) string {
	name, words := cmp.Or(found.Short[h.SessionID], h.SessionID), []string{h.Kind}
	switch h.Kind {
	case "checkpoint":
		name = h.Checkpoint
	case "message":
		name, words[0] = fmt.Sprintf("%s#%d", name, h.Message), h.Role
	}
	if !h.Time.IsZero() {
		words = append(words, h.Time.UTC().Format("2006-01-02 15:04"))
	}
	if h.Failed {
		words = append(words, "failed")
	}
	if h.Rewound {
		words = append(words, "rewound")
	}
	if h.Partial {
		words = append(words, "some of the words")
	}
	title := ""
	if h.Title != "" {
		title = " in " + named(h.Title, 15)
	}
	return fmt.Sprintf("%s  %s%s\n", name, strings.Join(words, ", "), title)
}
