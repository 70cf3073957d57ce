package pages

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"log/slog"
	"maps"
	"net/http"
	"net/url"

	"entire/internal/cli/web/gate"
	"entire/internal/hub/access"
	"entire/internal/hub/api"
	"entire/internal/legible"
)

//go:embed templates/*.html
var templates embed.FS

// Options are what the pages need.
type Options struct {
	Service *api.Service
	Door    *access.Door
	Teams   []string
	Log     *slog.Logger
}

// Pages answers requests for pages.
type Pages struct {
	o         Options
	templates *template.Template
	handler   http.Handler
}

// New parses the templates.
func New(o Options) (*Pages, error) {
	p := &Pages{o: o}
	var err error
	if p.templates, err = template.New("").Funcs(functions()).ParseFS(templates, "templates/*.html"); err != nil {
		return nil, fmt.Errorf("read the templates: %w", err)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /assets/{name}", serveAsset)
	mux.HandleFunc("GET /login", func(w http.ResponseWriter, r *http.Request) { p.login(w, r, http.StatusOK, "") })
	mux.HandleFunc("POST /login", p.orLogin(o.Door.Enter))
	mux.HandleFunc("GET /login/begin", p.orLogin(o.Door.Login))
	mux.HandleFunc("GET "+access.CallbackPath, p.orLogin(o.Door.Callback))
	mux.HandleFunc("POST "+access.LogoutPath, p.orLogin(o.Door.Logout))
	for path, page := range map[string]func(*http.Request, access.Principal) (*page, error){
		"/{$}": p.home, "/search": p.search, "/attribution": p.attribution, "/usage": p.usage, "/audit": p.audit, "/checkpoint/{repository}/{id}": p.checkpoint,
	} {
		mux.HandleFunc("GET "+path, p.inside(page))
	}
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		p.refuse(w, r, &api.Problem{Title: "No such page", Status: http.StatusNotFound, Detail: "there is no page at this address"})
	})
	p.handler = gate.Compress(mux)
	return p, nil
}

// ServeHTTP answers a request.
func (p *Pages) ServeHTTP(w http.ResponseWriter, r *http.Request) { p.handler.ServeHTTP(w, r) }

// A page is what a template makes a page of.
type page struct {
	Template string
	Title    string
	Section  string // the path of the part of the navigation that it belongs to
	JSON     string // the address of its values
	Who      string // "" for nobody
	Body     any
	Status   int
}

// A section is a part of the navigation.
type section struct{ Path, Name string }

func sections() []section {
	return []section{{"/", "Repositories"}, {"/search", "Search"}, {"/attribution", "Attribution"}, {"/usage", "Usage"}, {"/audit", "Audit"}}
}

// inside shows a page to those who are known, and others the way in.
func (p *Pages) inside(make func(*http.Request, access.Principal) (*page, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		who := access.Of(r.Context())
		if !who.Known() {
			p.login(w, r, http.StatusUnauthorized, "")
			return
		}
		pg, err := make(r, who)
		if err != nil {
			p.refuse(w, r, err)
			return
		}
		p.show(w, r, pg)
	}
}

// show writes a page.
func (p *Pages) show(w http.ResponseWriter, r *http.Request, pg *page) {
	if who := access.Of(r.Context()); who.Known() {
		pg.Who = who.Name
	}
	var buf bytes.Buffer
	out := legible.NewWriter(&buf, "")
	err := p.templates.ExecuteTemplate(out, pg.Template, pg)
	if err == nil {
		err = out.Flush()
	}
	if err != nil {
		p.o.Log.Error("a page cannot be made", "page", pg.Template, "error", err.Error())
		http.Error(w, "The page cannot be made. The hub's log says why.", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(max(pg.Status, http.StatusOK))
	_, _ = w.Write(buf.Bytes()) // whoever asked has gone
}

// refuse shows what is wrong.
func (p *Pages) refuse(w http.ResponseWriter, r *http.Request, err error) {
	why := api.ProblemOf(err)
	if why.Status >= 500 && r.Context().Err() == nil {
		p.o.Log.Error("request failed", "path", r.URL.Path, "error", err.Error())
	}
	p.show(w, r, &page{Template: "problem", Title: why.Title, Status: why.Status, Body: why})
}

// login shows the ways in.
func (p *Pages) login(w http.ResponseWriter, r *http.Request, status int, problem string) {
	back := r.URL.RequestURI()
	if r.URL.Path == access.LoginPath || r.Method != http.MethodGet {
		back = r.FormValue("back")
	}
	p.show(w, r, &page{Template: "login", Title: "Log in", Status: status, Body: map[string]any{
		"Provider": p.o.Door.CanLogIn(), "Tokens": p.o.Door.TakesTokens(), "Back": back, "Problem": problem}})
}

// orLogin does a part of logging in, or says on the page of it why that failed.
func (p *Pages) orLogin(do func(http.ResponseWriter, *http.Request) error) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if err := do(w, r); err != nil {
			p.o.Log.Warn("login failed", "path", r.URL.Path, "error", err.Error())
			p.login(w, r, http.StatusForbidden, err.Error())
		}
	}
}

// with returns the address of a page with changed parameters; a value "" takes one away.
func with(path string, q url.Values, pairs ...string) string {
	next := url.Values{}
	maps.Copy(next, q)
	for i := 0; i+1 < len(pairs); i += 2 {
		if next.Del(pairs[i]); pairs[i+1] != "" {
			next.Set(pairs[i], pairs[i+1])
		}
	}
	if len(next) == 0 {
		return path
	}
	return path + "?" + next.Encode()
}
