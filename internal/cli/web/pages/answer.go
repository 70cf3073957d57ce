package pages

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"time"

	"entire/internal/cli/cliui"
	"entire/internal/cli/ownerlib"
	"entire/internal/cli/web/view"
	"entire/internal/git"
	"entire/internal/legible"
	"entire/internal/timeline"
)

// An answer is what a page shows.
type answer struct {
	template string // "" for a page that is only JSON
	title    string
	section  string
	body     any // of the template
	json     any // nil for body
	older    string
	newer    string
	live     bool
	status   int  // 0 for 200
	refresh  bool // the page is not complete, and loads itself again
}

// A maker gathers what a page shows.
type maker func(ctx context.Context, r *http.Request) (*answer, error)

type jsonKey struct{}

func asJSON(ctx context.Context) bool { is, _ := ctx.Value(jsonKey{}).(bool); return is }

// ServeHTTP answers with a page, or with its values if the path ends in .json.
func (p *Pages) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if path, ok := strings.CutSuffix(r.URL.Path, ".json"); ok {
		r = r.Clone(context.WithValue(r.Context(), jsonKey{}, true))
		r.URL.Path = path
	}
	p.mux.ServeHTTP(w, r)
}

// page adds a page to the handler.
func (p *Pages) page(pattern string, do maker) {
	p.mux.HandleFunc("GET "+pattern, func(w http.ResponseWriter, r *http.Request) {
		if !p.o.Static && !asJSON(r.Context()) {
			r = r.WithContext(context.WithValue(r.Context(), beginKey{}, &beginning{w: w, r: r}))
		}
		a, err := do(r.Context(), r)
		if err != nil {
			p.fail(w, r, err)
			return
		}
		p.give(w, r, a)
	})
}

type beginKey struct{}

// A beginning is that of the page which answers a request.
type beginning struct {
	w    http.ResponseWriter
	r    *http.Request
	sent bool
}

// begun reports whether the beginning of a page was sent.
func begun(ctx context.Context) bool {
	b, ok := ctx.Value(beginKey{}).(*beginning)
	return ok && b.sent
}

// begin sends the beginning of the page whose rest takes a while, so that the browser shows the frame and loads the
// style meanwhile. From here on the answer's status is 200, so what is asked for must be there.
func (p *Pages) begin(ctx context.Context, a *answer) {
	b, ok := ctx.Value(beginKey{}).(*beginning)
	if !ok || b.sent || a.title == "" {
		return
	}
	var head bytes.Buffer
	if err := p.o.Views.Begin(&head, p.frame(b.r, a)); err != nil {
		return // the whole page will say the same
	}
	b.sent = true
	b.w.Header().Set("Content-Type", "text/html; charset=utf-8")
	b.w.WriteHeader(http.StatusOK)
	_, _ = b.w.Write(head.Bytes())
	_ = http.NewResponseController(b.w).Flush()
}

func (p *Pages) give(w http.ResponseWriter, r *http.Request, a *answer) {
	if a.status == 0 {
		a.status = http.StatusOK
	}
	if a.refresh {
		again(w.Header())
	}
	if asJSON(r.Context()) || a.template == "" {
		giveJSON(w, a)
		return
	}
	var page bytes.Buffer
	f := p.frame(r, a)
	f.Begun = begun(r.Context())
	if err := p.o.Views.Render(&page, a.template, f, a.body); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	if !f.Begun {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.WriteHeader(a.status)
	}
	_, _ = w.Write(page.Bytes())
}

func giveJSON(w http.ResponseWriter, a *answer) {
	value := a.json
	if value == nil {
		value = a.body
	}
	var text bytes.Buffer
	out := legible.NewWriter(&text, "")
	enc := json.NewEncoder(out)
	enc.SetIndent("", "  ")
	if err := errors.Join(enc.Encode(value), out.Flush()); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(a.status)
	_, _ = w.Write(text.Bytes())
}

// frame returns what surrounds the page of an answer.
func (p *Pages) frame(r *http.Request, a *answer) view.Frame {
	here := p.o.Links.Base + r.URL.Path
	if r.URL.RawQuery != "" {
		here += "?" + r.URL.RawQuery
	}
	f := view.Frame{Title: a.title, Section: a.section, Repository: p.repository(), Branch: p.branch(r.Context()), Theme: preference(r, "theme", "light", "dark"),
		Here: here, Older: a.older, Newer: a.newer, Live: a.live}
	if p.o.Static {
		f.Static, f.Live, f.Theme, f.Note = true, false, "", "Made by entire on "+p.env.Now().In(time.Local).Format("2 January 2006")+"."
	} else if a.status < 300 {
		f.JSON = view.JSON(here)
	}
	if p.o.Form != nil && !p.o.ReadOnly {
		f.Form = p.o.Form(r)
	}
	return f
}

// A problem is what a page shows in place of what was asked for.
type problem struct {
	Why  string `json:"error"`
	Hint string `json:"hint,omitempty"`
}

// fail answers with what went wrong.
func (p *Pages) fail(w http.ResponseWriter, r *http.Request, err error) {
	if r.Context().Err() != nil {
		return // nobody waits for the answer
	}
	a := &answer{template: "problem", title: "This did not work", status: http.StatusInternalServerError, body: problem{cliui.OneLine(err.Error()), cliui.HintOf(err)}}
	if errors.Is(err, timeline.ErrNoPoint) || errors.Is(err, git.ErrMissing) || errors.Is(err, errNone) || errors.Is(err, ownerlib.ErrNoLine) || unknownSession(err) {
		a.title, a.status = "Not found", http.StatusNotFound
	} else if cliui.HintOf(err) != "" { // it is for the person to do something else
		a.status = http.StatusBadRequest
	}
	p.give(w, r, a)
}

// errNone is returned for a page that there is not.
var errNone = errors.New("there is no such page")

func (p *Pages) none(w http.ResponseWriter, r *http.Request) { p.fail(w, r, errNone) }
