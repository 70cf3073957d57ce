package pages

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"entire/internal/cli/cliui"
	"entire/internal/cli/ownerlib"
	"entire/internal/cli/web/view"
	"entire/internal/cli/workplace"
	"entire/internal/review"
)

const (
	reviewsMax   = 8 // documents that are remembered
	resultRoom   = 8 << 10
	commitsShown = 100
	exportRoom   = 1 << 30
)

// A reviewPage is who wrote the lines of a commit or a range.
type reviewPage struct {
	view.Review
	Range   review.Range
	Waiting string
	Pages   []pageLink
	links   view.Links
	room    *view.Room
	alone   bool
}

type pageLink struct{ Link, Rel, Name string }

// FirstCommits are those that the page names.
func (p *reviewPage) FirstCommits() []review.Commit {
	if p.alone {
		return p.Commits
	}
	return p.Commits[:min(len(p.Commits), commitsShown)]
}

// LinkOf returns the address of a file, "" where there is none.
func (p *reviewPage) LinkOf(f review.PageFile) string {
	if f.Skipped || strings.HasPrefix(f.Path, "base64:") {
		return ""
	}
	return p.links.File(f.Path)
}

// A result is a prompt with what came of it.
type result struct {
	Asked          view.Text
	Added, Removed int
	Files          string
}

// Results returns the prompts of a session with their results.
func (p *reviewPage) Results(s review.Session) []result {
	var out []result
	for _, r := range p.PromptResults(s) {
		text := p.room.CutTexts([]string{r.Prompt}, 4000)[0]
		out = append(out, result{text, r.Added, r.Removed, cliui.SomeNames(r.Files)})
		if text.Cut > 0 && text.Text == "" {
			break // there is no room for more
		}
	}
	return out
}

// reviews are the documents that were made last.
type reviews struct {
	mu   sync.Mutex
	jobs map[string]*job[*review.Document]
	kept []string
}

// of returns the work on a range's document. What a name means may change with the repository.
func (rs *reviews) of(key string) *job[*review.Document] {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	if rs.jobs == nil {
		rs.jobs = map[string]*job[*review.Document]{}
	}
	j := rs.jobs[key]
	if j == nil {
		j = &job[*review.Document]{}
		rs.jobs[key] = j
	}
	rs.kept = append(slices.DeleteFunc(rs.kept, func(k string) bool { return k == key }), key)
	if len(rs.kept) > reviewsMax {
		delete(rs.jobs, rs.kept[0])
		rs.kept = rs.kept[1:]
	}
	return j
}

// review shows who wrote the lines of a commit or a range, and why.
func (p *Pages) review(ctx context.Context, r *http.Request) (*answer, error) {
	name := cmp.Or(strings.TrimSpace(r.FormValue("range")), "HEAD")
	j := p.reviews.of(name)
	version := p.changes.version()
	d, done := j.kept(version)
	var err error
	if !done {
		j.keep(version)
		d, done, err = j.run(ctx, &p.works, func(ctx context.Context, tell func(string)) (*review.Document, error) {
			return p.Review(ctx, name, tell)
		})
	}
	if err != nil {
		return nil, err
	}
	page := &reviewPage{Range: review.Range{Name: name}, links: p.o.Links, room: view.NewRoom(resultRoom)}
	a := &answer{template: "review", title: "Review of " + name, section: "review", body: page}
	if !done {
		page.Waiting, a.refresh = "The lines are being compared with what was recorded. "+j.progress(), true
		a.json = map[string]string{"waiting": page.Waiting}
		return a, nil
	}
	p.begin(ctx, a)
	from := min(intOf(r, "from", 0), max(len(d.Files)-1, 0))
	page.Review, page.Range, a.json = view.NewReview(d, from, true, p.o.Clean), d.Range, d
	if from > 0 {
		page.Pages = append(page.Pages, pageLink{p.o.Links.ReviewFrom(name, 0), "prev", "← From the first file"})
	}
	if page.Left > 0 {
		page.Pages = append(page.Pages, pageLink{p.o.Links.ReviewFrom(name, from+len(page.Shown)), "next", cliui.Count(page.Left, "more file") + " →"})
	}
	return a, nil
}

// Review returns the review document of a commit or a range, with the lines around each change.
func (p *Pages) Review(ctx context.Context, name string, tell func(string)) (d *review.Document, err error) {
	err = p.at(ctx, func(wp *workplace.Workplace) error {
		d, err = ownerlib.Review(ctx, wp, name, func(done, total int) { tell(fmt.Sprintf("%d of %s.", done, cliui.Count(total, "file"))) })
		if err == nil {
			ownerlib.Surround(ctx, wp, d)
		}
		return err
	})
	return d, err
}

// ExportReview writes the review of a commit or a range as one file of HTML, which needs nothing else.
func ExportReview(ctx context.Context, env *cliui.Env, name string, zone *time.Location, tell func(string), out io.Writer) error {
	p := &Pages{env: quiet(env)} // it answers nobody
	d, err := p.Review(ctx, name, tell)
	if err != nil {
		return err
	}
	links := view.Links{None: true}
	views := view.New(view.Options{Links: links, Zone: zone, Now: env.Now, ReadOnly: true})
	page := &reviewPage{Review: view.NewReview(d, 0, false, nil), Range: d.Range, links: links, room: view.NewRoom(exportRoom), alone: true}
	f := view.Frame{Title: "Review of " + name, Repository: d.Place.Repository, Alone: true,
		Note: "Made by entire on " + env.Now().In(zone).Format("2 January 2006") + ". It shows the lines of the change and the prompts behind them."}
	return views.Render(out, "review", f, page)
}
