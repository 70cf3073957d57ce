package pages

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"entire/internal/cli/cliui"
	"entire/internal/cli/ownerlib"
	"entire/internal/cli/web/view"
	"entire/internal/cli/workplace"
	"entire/internal/durable"
	"entire/internal/git"
	"entire/internal/timeline"
)

const (
	fileBytes   = 8 << 20 // of a file that is shown
	fileRoom    = 30 << 10
	fileLines   = 1000 // of one page
	statePoints = 1000 // in which states are searched for
	deepPoints  = 100_000
	statesMax   = 100
)

// A filePage is a file as it is or was.
type filePage struct {
	Path   string               `json:"path"`
	At     *timeline.Point      `json:"at,omitempty"` // nil for now
	States []fileState          `json:"states"`
	More   bool                 `json:"more_states"` // older points were not searched
	Text   string               `json:"text"`
	Owners []ownerlib.OwnedLine `json:"owners,omitempty"` // of the lines from From to To
	From   int                  `json:"from"`
	To     int                  `json:"to"`
	Total  int                  `json:"lines"`

	Crumbs        []crumb         `json:"-"`
	Code          []view.CodeLine `json:"-"`
	Note          string          `json:"note,omitempty"`      // why nothing is shown
	Ownerless     string          `json:"ownerless,omitempty"` // why the owners are not known
	Waiting       string          `json:"-"`                   // the address of the same page with its owners
	Before, After string          `json:"-"`
	Selected      int             `json:"-"` // of States; -1 for now
	AtTitle       string          `json:"-"`
	tree          git.OID         // of At
}

// Escaped is the path as a form sends it.
func (f *filePage) Escaped() string { return url.PathEscape(f.Path) }

// Place is where the slider stands: the oldest state at 0, now at the end.
func (f *filePage) Place() int { return len(f.States) - 1 - f.Selected }

type fileState struct {
	timeline.FileState
}

// Title returns what the point is called that made the state.
func (s fileState) Title() string { return view.Title(s.Made) }

// A crumb is a part of a path; its Path is "" for the file itself.
type crumb struct{ Name, Path string }

func crumbs(path string, folder bool) []crumb {
	var out []crumb
	parts := strings.Split(path, "/")
	for i, name := range parts {
		c := crumb{Name: name}
		if i < len(parts)-1 || folder {
			c.Path = strings.Join(parts[:i+1], "/")
		}
		if name != "" {
			out = append(out, c)
		}
	}
	return out
}

// file shows a file as it is, or as it was at a point.
func (p *Pages) file(ctx context.Context, r *http.Request) (*answer, error) {
	f := &filePage{Path: pathOf(r), Selected: -1, States: []fileState{}}
	if err := git.ValidPath(f.Path); err != nil {
		return nil, cliui.Failf("the page of files lists them", "%w", err)
	}
	f.Crumbs = crumbs(f.Path, false)
	p.beginFile(ctx, r, f.Path, f.Path)
	if _, err := p.past.Refresh(ctx); err != nil {
		return nil, err
	}
	points := statePoints
	if r.FormValue("deep") != "" {
		points = deepPoints
	}
	states, more, err := p.past.FileStates(ctx, f.Path, points, statesMax)
	if err != nil {
		return nil, err
	}
	f.More = more
	for _, s := range states {
		f.States = append(f.States, fileState{s})
	}
	if err := p.choose(ctx, r, f); err != nil {
		return nil, err
	}
	a := &answer{template: "file", title: f.Path, section: "files", body: f, live: f.At == nil}
	p.besideState(a, f)
	return a, p.at(ctx, func(wp *workplace.Workplace) error {
		text, err := p.content(ctx, wp, f)
		if err != nil || text == nil {
			return err
		}
		return p.fill(ctx, r, wp, f, text)
	})
}

// beginFile sends the beginning of a page about a file of the worktree, which is there.
func (p *Pages) beginFile(ctx context.Context, r *http.Request, path, title string) {
	q := r.URL.Query()
	if q.Has("at") || q.Has("state") || q.Get("rev") != "" {
		return // there may be no such state
	}
	if st, err := os.Lstat(filepath.Join(p.top, filepath.FromSlash(path))); err == nil && st.Mode().IsRegular() {
		p.begin(ctx, &answer{title: title, section: "files", live: r.URL.Path == "/file"})
	}
}

// choose finds the state that the request asks for.
func (p *Pages) choose(ctx context.Context, r *http.Request, f *filePage) error {
	id := r.FormValue("at")
	if r.URL.Query().Has("state") { // of the slider
		if n := len(f.States) - 1 - intOf(r, "state", len(f.States)); n >= 0 {
			id = f.States[n].Point.ID
		}
	}
	if id == "" {
		return nil
	}
	point, tree, err := p.past.named(ctx, id)
	if err != nil {
		return err
	}
	f.At, f.AtTitle, f.tree = &point, view.Title(point), tree
	for i, s := range f.States {
		if point.Index >= 0 && s.Point.Index <= point.Index {
			f.Selected = i // a state lasts until the next one
		}
	}
	return nil
}

// besideState adds the addresses of the states before and after the one that is shown.
func (p *Pages) besideState(a *answer, f *filePage) {
	if f.Selected+1 < len(f.States) {
		a.older = p.o.Links.FileAt(f.Path, f.States[f.Selected+1].Point.ID)
	}
	switch {
	case f.Selected > 0:
		a.newer = p.o.Links.FileAt(f.Path, f.States[f.Selected-1].Point.ID)
	case f.Selected == 0:
		a.newer = p.o.Links.File(f.Path)
	}
}

// content returns the content of the state that is shown; nil with a note if there is none to show.
func (p *Pages) content(ctx context.Context, wp *workplace.Workplace, f *filePage) (text []byte, err error) {
	var found bool
	if f.At == nil {
		text, err = durable.ReadWithin(p.top, f.Path, fileBytes)
	} else {
		text, found, err = p.contentAt(ctx, wp, f)
		if err == nil && !found {
			f.Note = "There is no such file at this point."
			return nil, nil
		}
	}
	switch {
	case errors.Is(err, durable.ErrTooLong), errors.Is(err, timeline.ErrTooLarge):
		f.Note = "The file is too large to be shown."
	case errors.Is(err, fs.ErrNotExist) && len(f.States) == 0:
		return nil, errNone
	case errors.Is(err, fs.ErrNotExist):
		f.Note = "There is no such file now."
	case errors.Is(err, durable.ErrNoFile):
		f.Note = "This is no regular file, so it is not shown."
	case err != nil:
		return nil, err
	case bytes.IndexByte(text[:min(len(text), 8000)], 0) >= 0:
		f.Note = "A binary file of " + cliui.ByteCount(int64(len(text))) + "."
	case len(text) == 0:
		f.Note = "The file is empty."
	default:
		return text, nil
	}
	return nil, nil
}

// contentAt returns the content that the file had at the point that is shown.
func (p *Pages) contentAt(ctx context.Context, wp *workplace.Workplace, f *filePage) (text []byte, found bool, err error) {
	e, found, err := wp.Repo.Reader(ctx).Path(f.tree, f.Path)
	if err != nil || !found {
		return nil, false, err
	}
	text, err = p.past.Blob(ctx, e.OID, fileBytes)
	return text, true, err
}
