package pages

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"entire/internal/cli/cliui"
	"entire/internal/cli/searchlib"
	"entire/internal/cli/sessionlib"
	"entire/internal/search"
)

const hitsShown = 40

// A searchPage is what was found.
type searchPage struct {
	*searchlib.Answer
	Query   string    `json:"-"`
	Hits    []hitView `json:"-"`
	Problem string    `json:"-"` // what is wrong with the query
	Hint    string    `json:"-"`
	Waiting string    `json:"-"` // how far the indexing has come; "" when it is complete
}

type hitView struct {
	searchlib.Hit
	Link  string
	Parts []part
}

// A part of a snippet, which matches or not.
type part struct {
	Text  string
	Match bool
}

// search shows what was found for a query. While the index is being made, it shows what is there already.
func (p *Pages) search(ctx context.Context, r *http.Request) (*answer, error) {
	page := searchPage{Query: strings.TrimSpace(r.FormValue("q"))}
	a := &answer{template: "search", title: "Search", section: "search", body: &page, json: &page}
	if page.Query == "" {
		page.Answer = &searchlib.Answer{Hits: []searchlib.Hit{}}
		return a, nil
	}
	a.title = "Search: " + page.Query
	done := true
	var err error
	if r.FormValue("typed") == "" {
		_, done, err = p.indexing.run(ctx, &p.works, p.index)
	}
	if err == nil {
		page.Answer, err = p.lookUp(ctx, page.Query)
	}
	if !done {
		page.Waiting, a.refresh = "The index is being made, which happens once. "+p.indexing.progress(), true
	}
	switch hint := cliui.HintOf(err); {
	case err != nil && (hint == "" || errors.Is(err, context.Canceled)):
		return nil, err
	case err != nil:
		page.Answer = &searchlib.Answer{Query: page.Query, Hits: []searchlib.Hit{}}
		page.Problem, page.Hint = cliui.OneLine(err.Error()), hint
	}
	for _, h := range page.Answer.Hits {
		page.Hits = append(page.Hits, hitView{h, p.linkOf(h), parts(h)})
	}
	return a, nil
}

// lookUp searches the index as it is.
func (p *Pages) lookUp(ctx context.Context, query string) (found *searchlib.Answer, err error) {
	err = sessionlib.WithLibrary(ctx, p.env, func(l *sessionlib.Library) (err error) {
		found, err = searchlib.Search(ctx, l, query, searchlib.Options{Limit: hitsShown, AsIndexed: true})
		return err
	})
	return found, err
}

// index brings the index up to date.
func (p *Pages) index(ctx context.Context, tell func(string)) (struct{}, error) {
	o := searchlib.Options{Limit: 1, Progress: func(sessions int, bytes int64) (func(search.Progress), func()) {
		return func(g search.Progress) {
			tell(fmt.Sprintf("%d of %s.", g.Sessions, cliui.Count(sessions, "session")))
		}, func() {}
	}}
	return struct{}{}, sessionlib.WithLibrary(ctx, p.env, func(l *sessionlib.Library) error {
		_, err := searchlib.Search(ctx, l, "entire", o)
		return err
	})
}

func (p *Pages) linkOf(h searchlib.Hit) string {
	switch {
	case h.Kind == "checkpoint":
		return p.o.Links.Point(h.Checkpoint)
	case h.Message > 0:
		return p.o.Links.Message(h.SessionID, max(h.Message-3, 1)) + "#m" + itoa(h.Message)
	}
	return p.o.Links.Session(h.SessionID)
}

// parts splits a snippet at its matches.
func parts(h searchlib.Hit) []part {
	var out []part
	at := 0
	for _, m := range h.Marks {
		if m[0] < at || m[1] > len(h.Snippet) {
			continue
		}
		out = append(out, part{h.Snippet[at:m[0]], false}, part{h.Snippet[m[0]:m[1]], true})
		at = m[1]
	}
	return append(out, part{h.Snippet[at:], false})
}
