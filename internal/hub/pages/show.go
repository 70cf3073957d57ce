package pages

import (
	"errors"
	"net/http"
	"net/url"
	"strings"

	"entire/internal/hub/access"
	"entire/internal/hub/api"
	"entire/internal/hub/index"
)

// A form is what the pages with parameters have in common.
type form struct {
	Q       map[string]string // the parameters as they were given
	Names   []string          // of the repositories to choose from
	Teams   []string
	Ways    []string
	Problem *api.Problem
}

// form reads the parameters of a request, without empty ones, which forms send.
func (p *Pages) form(r *http.Request, who access.Principal) (form, url.Values) {
	f := form{Q: map[string]string{}, Teams: p.o.Teams}
	for _, name := range []string{"q", "repository", "author", "agent", "team", "branch", "path", "since", "until", "by"} {
		f.Q[name] = "" // a template shows what is missing in a map as such
	}
	q := url.Values{}
	for name, values := range r.URL.Query() {
		if len(values) > 0 && values[0] != "" {
			f.Q[name], q[name] = values[0], values
		}
	}
	for _, name := range p.o.Service.Names {
		if who.MayRead(name) {
			f.Names = append(f.Names, name)
		}
	}
	return f, q
}

// told keeps what is wrong with the parameters for the page, and returns any other error.
func (f *form) told(err error) error {
	var problem *api.Problem
	if errors.As(err, &problem) && problem.Status == http.StatusBadRequest {
		f.Problem = problem
		return nil
	}
	return err
}

func (f form) status() int {
	if f.Problem != nil {
		return f.Problem.Status
	}
	return http.StatusOK
}

func (p *Pages) home(r *http.Request, who access.Principal) (*page, error) {
	list, err := p.o.Service.Repositories(r.Context(), who, nil)
	return &page{Template: "home", Title: "Repositories", Section: "/", JSON: "/api/v1/repositories", Body: list}, err
}

func (p *Pages) search(r *http.Request, who access.Principal) (*page, error) {
	f, q := p.form(r, who)
	answer, err := p.o.Service.Checkpoints(r.Context(), who, q)
	more := ""
	if answer.Next != "" {
		more = with("/search", q, "after", answer.Next)
	}
	err = f.told(err)
	body := struct {
		form
		Answer api.Checkpoints
		More   string
	}{f, answer, more}
	return &page{Template: "search", Title: "Search", Section: "/search", JSON: with("/api/v1/checkpoints", q), Body: body, Status: f.status()}, err
}

func (p *Pages) checkpoint(r *http.Request, who access.Principal) (*page, error) {
	repo, id := r.PathValue("repository"), r.PathValue("id")
	answer, err := p.o.Service.Checkpoint(r.Context(), who, repo, id)
	return &page{Template: "checkpoint", Title: "Checkpoint " + id, Section: "/search", JSON: "/api/v1/repositories/" + url.PathEscape(repo) + "/checkpoints/" + url.PathEscape(id), Body: answer}, err
}

// A shareRow is a group of lines on a page.
type shareRow struct {
	api.Share
	Link string
}

// A crumb is a folder above the one that is shown.
type crumb struct{ Name, Link string }

func (p *Pages) attribution(r *http.Request, who access.Principal) (*page, error) {
	f, q := p.form(r, who)
	f.Ways = index.LineWays()
	answer, err := p.o.Service.Attribution(r.Context(), who, q)
	err = f.told(err)
	var rows []shareRow
	for _, g := range answer.Groups {
		rows = append(rows, shareRow{g, shareLink(answer.By, g.Name, q)})
		if g.Name == "" {
			rows[len(rows)-1].Name = unnamed(answer.By)
		}
	}
	var crumbs []crumb
	if parts := strings.Split(strings.Trim(f.Q["path"], "/"), "/"); answer.By == "path" && parts[0] != "" {
		crumbs = append(crumbs, crumb{"all folders", with("/attribution", q, "path", "")})
		for i := range parts {
			crumbs = append(crumbs, crumb{parts[i], with("/attribution", q, "path", strings.Join(parts[:i+1], "/"))})
		}
	}
	body := struct {
		form
		Answer api.Attribution
		Rows   []shareRow
		Crumbs []crumb
	}{f, answer, rows, crumbs}
	return &page{Template: "attribution", Title: "Attribution", Section: "/attribution", JSON: with("/api/v1/attribution", q), Body: body, Status: f.status()}, err
}

// unnamed says what a group without a name is.
func unnamed(by string) string {
	switch by {
	case "path":
		return "(files of this folder)"
	case "team":
		return "(no team)"
	}
	return "(unknown)"
}

// shareLink leads from a group to what is in it.
func shareLink(by, name string, q url.Values) string {
	switch {
	case name == "":
		return ""
	case by == "path":
		return with("/attribution", q, "path", strings.Trim(q.Get("path")+"/"+name, "/"))
	case by == "author" || by == "team" || by == "repository" || by == "agent":
		return with("/search", nil, by, name)
	}
	return ""
}

// A usageRow is a group of tokens on a page.
type usageRow struct {
	api.Used
	Link, Width string
}

func (p *Pages) usage(r *http.Request, who access.Principal) (*page, error) {
	f, q := p.form(r, who)
	f.Ways = index.UsageWays()
	answer, err := p.o.Service.Usage(r.Context(), who, q)
	err = f.told(err)
	most := 0.0
	for _, g := range answer.Groups {
		most = max(most, g.Dollars)
	}
	var rows []usageRow
	for _, g := range answer.Groups {
		row := usageRow{g, "", share(int64(g.Dollars*100), int64(most*100))}
		if answer.By == "author" || answer.By == "team" || answer.By == "repository" || answer.By == "agent" {
			row.Link = shareLink(answer.By, g.Name, q)
		}
		if row.Name == "" {
			row.Name = unnamed(answer.By)
		}
		rows = append(rows, row)
	}
	body := struct {
		form
		Answer api.Usage
		Rows   []usageRow
	}{f, answer, rows}
	return &page{Template: "usage", Title: "Usage", Section: "/usage", JSON: with("/api/v1/usage", q), Body: body, Status: f.status()}, err
}

func (p *Pages) audit(r *http.Request, who access.Principal) (*page, error) {
	f, q := p.form(r, who)
	answer, err := p.o.Service.Audit(r.Context(), who, q)
	err = f.told(err)
	body := struct {
		form
		Answer api.AuditReport
	}{f, answer}
	return &page{Template: "audit", Title: "Audit", Section: "/audit", JSON: with("/api/v1/audit", q), Body: body, Status: f.status()}, err
}
