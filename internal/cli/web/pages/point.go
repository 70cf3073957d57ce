package pages

import (
	"context"
	"net/http"
	"time"

	"entire/internal/cli/cliui"
	"entire/internal/cli/sessionlib"
	"entire/internal/cli/web/view"
	"entire/internal/patch"
	"entire/internal/timeline"
)

// leftShown is how many names of files a page lists that it does not show.
const leftShown = 20

// A pointPage is what a point alone shows.
type pointPage struct {
	timeline.Details
	Said  []view.Passage `json:"said"`
	Patch string         `json:"patch"`
	Left  []string       `json:"left_out,omitempty"` // files that the patch leaves out

	Asked    []view.Text    `json:"-"` // the prompts, unless the title is the only one
	Answers  []view.Text    `json:"-"`
	Shown    []view.Passage `json:"-"` // of Said
	LeftMore int            `json:"-"`
	Diff     view.Diff      `json:"-"`
	Tree     *view.Tree     `json:"-"`
	Other    string         `json:"-"` // the address of the same page, with the change shown in the other way
}

// Title returns what the point is called.
func (p pointPage) Title() string { return view.Title(p.Point) }

// Word returns what the point is in a word.
func (p pointPage) Word() string { return view.KindWord(p.Kind) }

// The room that the parts of a page have, compressed.
const (
	askedRoom  = 6 << 10
	answerRoom = 4 << 10
	saidRoom   = 8 << 10
	textMax    = 20 << 10 // bytes of one text
	saidMax    = 100      // passages
)

// cut takes what the page shows from what is known.
func (p *pointPage) cut() {
	if len(p.Prompts) != 1 || p.Prompts[0] != p.Title() {
		p.Asked = view.NewRoom(askedRoom).CutTexts(p.Prompts, textMax)
	}
	if p.Answer != "" {
		p.Answers = view.NewRoom(answerRoom).CutTexts([]string{p.Answer}, textMax)
	}
	p.Shown = view.CutPassages(p.Said[max(len(p.Said)-saidMax, 0):], view.NewRoom(saidRoom))
	if len(p.Left) > leftShown {
		p.LeftMore, p.Left = len(p.Left)-leftShown, p.Left[:leftShown]
	}
}

// point shows a point, or of its change one file.
func (p *Pages) point(ctx context.Context, r *http.Request) (*answer, error) {
	if _, err := p.past.Refresh(ctx); err != nil {
		return nil, err
	}
	d, err := p.past.Details(ctx, r.PathValue("id"))
	if err != nil {
		return nil, err
	}
	page := pointPage{Details: d, Said: view.Passages(d.Said)}
	var only []string
	if file := r.FormValue("file"); file != "" {
		only = append(only, file)
	}
	got, err := p.past.Patch(ctx, d.Before, d.Tree, only...)
	if err != nil {
		return nil, err
	}
	if p.o.Clean != nil {
		got.Text = cleanPatch(got.Text, p.o.Clean)
	}
	files, err := patch.Parse(got.Text)
	if err != nil {
		return nil, err
	}
	page.Patch, page.Left = string(got.Text), got.Left
	links := p.o.Links
	show := view.Shower{Split: preference(r, "diff", "split") != "", More: func(path string, hunk, line int) string { return links.PointHunk(d.ID, path, hunk, line) }}
	if p.changing() && (d.Kind == timeline.Commit || d.Restorable()) {
		show.Back = func(path string) string { return links.RewindFile(d.ID, path) }
	}
	page.Diff = show.Show(files, intOf(r, "hunk", 0), intOf(r, "line", 0))
	page.Tree = view.NewTree(d.Changes, func(path string) string {
		for _, f := range page.Diff.Files {
			if f.Path == path && len(only) == 0 && (len(f.Hunks) > 0 || f.Note != "") {
				return "#" + f.Anchor
			}
		}
		return links.PointFile(d.ID, path)
	})
	page.Other = links.Prefer("diff", map[bool]string{true: "inline", false: "split"}[show.Split], r.URL.RequestURI())
	a := &answer{template: "point", title: page.Title(), section: "timeline", json: page}
	page.cut()
	a.body = page
	return a, p.beside(ctx, a, d.Index)
}

// beside adds the addresses of the points before and after one.
func (p *Pages) beside(ctx context.Context, a *answer, index int) error {
	w, err := p.past.Outline(ctx, max(index-1, 0), 3)
	if err != nil {
		return err
	}
	for _, other := range w.Points {
		switch other.Index {
		case index - 1:
			a.newer = p.o.Links.Point(other.ID)
		case index + 1:
			a.older = p.o.Links.Point(other.ID)
		}
	}
	return nil
}

// pointOf leads to the point at which what a message of a session asked for had been done.
func (p *Pages) pointOf(w http.ResponseWriter, r *http.Request) {
	ctx, found := r.Context(), ""
	err := sessionlib.WithLibrary(ctx, p.env, func(l *sessionlib.Library) error {
		s, err := l.Find(ctx, r.PathValue("id"))
		if err != nil {
			return err
		}
		var at time.Time
		if n := intOf(r, "message", 0); n > 0 {
			part, _, err := p.reader.Part(ctx, l, s, n, 1)
			if err != nil {
				return err
			}
			if len(part) > 0 {
				at = part[0].Timestamp
			}
		}
		if _, err = p.past.Refresh(ctx); err == nil {
			found, err = p.past.PointOf(ctx, s.ID, at)
		}
		return err
	})
	if err == nil && found == "" {
		err = cliui.Failf("a commit of another branch may have it; `entire report` shows what became of a session", "the session has no point in this worktree")
	}
	if err != nil {
		p.fail(w, r, err)
		return
	}
	http.Redirect(w, r, p.o.Links.Point(found), http.StatusSeeOther)
}
