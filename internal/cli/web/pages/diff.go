package pages

import (
	"context"
	"net/http"

	"entire/internal/cli/cliui"
	"entire/internal/cli/web/view"
	"entire/internal/cli/workplace"
	"entire/internal/git"
	"entire/internal/patch"
	"entire/internal/timeline"
	"entire/strategy/rewind"
)

// A diffPage is what changed from one point to another, or to now.
type diffPage struct {
	A       timeline.Point    `json:"a"`
	B       *timeline.Point   `json:"b,omitempty"` // nil for now
	Path    string            `json:"path,omitempty"`
	Changes []timeline.Change `json:"changes"`
	Patch   string            `json:"patch"`
	Left    []string          `json:"left_out,omitempty"`

	ATitle, BTitle string     `json:"-"`
	Diff           view.Diff  `json:"-"`
	Tree           *view.Tree `json:"-"`
	Other          string     `json:"-"`
}

// diff shows what changed from one point to another, of all files or of one. Without a second point it is now.
func (p *Pages) diff(ctx context.Context, r *http.Request) (*answer, error) {
	if _, err := p.past.Refresh(ctx); err != nil {
		return nil, err
	}
	page := diffPage{Path: pathOf(r)}
	if r.FormValue("a") == "" {
		return nil, cliui.Failf("mark two points with x on the timeline", "two points are compared, and none is named")
	}
	a, from, err := p.past.named(ctx, r.FormValue("a"))
	if err != nil {
		return nil, cliui.Failf("mark two points with x on the timeline", "%w", err)
	}
	page.A, page.ATitle = a, view.Title(a)
	if r.FormValue("b") == "" {
		p.begin(ctx, &answer{title: page.ATitle + " to now", section: "timeline"})
	}
	to, err := p.later(ctx, r.FormValue("b"), &page)
	if err != nil {
		return nil, err
	}
	title := page.ATitle + " to " + page.BTitle
	p.begin(ctx, &answer{title: title, section: "timeline"})
	var only []string
	if page.Path != "" {
		only = append(only, page.Path)
	}
	got, err := p.past.Patch(ctx, from, to, only...)
	if err != nil {
		return nil, err
	}
	files, err := patch.Parse(got.Text)
	if err != nil {
		return nil, err
	}
	page.Changes, page.Patch, page.Left = got.Changes, string(got.Text), got.Left
	whole := page
	page.Left = page.Left[:min(len(page.Left), leftShown)]
	id := r.FormValue("b")
	show := view.Shower{Split: preference(r, "diff", "split") != "", More: func(path string, hunk, line int) string { return p.o.Links.DiffHunk(page.A.ID, id, path, hunk, line) }}
	page.Diff = show.Show(files, intOf(r, "hunk", 0), intOf(r, "line", 0))
	page.Tree = view.NewTree(page.Changes, func(path string) string { return p.o.Links.DiffHunk(page.A.ID, id, path, 0, 0) })
	page.Other = p.o.Links.Prefer("diff", map[bool]string{true: "inline", false: "split"}[show.Split], r.URL.RequestURI())
	return &answer{template: "diff-page", title: title, section: "timeline", body: page, json: whole}, nil
}

// later returns the tree of the second point, or of the worktree.
func (p *Pages) later(ctx context.Context, id string, page *diffPage) (tree git.OID, err error) {
	if id != "" {
		b, tree, err := p.past.named(ctx, id)
		if err != nil {
			return tree, err
		}
		page.B, page.BTitle = &b, view.Title(b)
		return tree, nil
	}
	page.BTitle = "now"
	err = p.at(ctx, func(wp *workplace.Workplace) error {
		tree, _, err = rewind.PresentTree(ctx, wp.Engine)
		return err
	})
	return tree, err
}
