package pages

import (
	"context"
	"net/http"
	"strconv"
	"time"

	"entire/internal/cli/rewindlib"
	"entire/internal/cli/web/view"
	"entire/internal/cli/workplace"
	"entire/internal/timeline"
	"entire/strategy/rewind"
)

const (
	windowSize  = 100                   // points of a page
	presentWait = 40 * time.Millisecond // a page without script that comes sooner says where the worktree stands
)

// A timelinePage is a window of the past.
type timelinePage struct {
	timeline.Window
	Days []view.Day `json:"-"`
	Undo string     `json:"undo,omitempty"` // what `entire undo` and `entire redo` would take back
	Redo string     `json:"redo,omitempty"`
}

// timeline shows the points from one on, or those around one.
func (p *Pages) timeline(ctx context.Context, r *http.Request) (*answer, error) {
	if _, err := p.past.Refresh(ctx); err != nil {
		return nil, err
	}
	from := intOf(r, "from", 0)
	if id := r.FormValue("at"); id != "" {
		point, _, err := p.past.named(ctx, id)
		if err != nil {
			return nil, err
		}
		from = max(point.Index, 0) / windowSize * windowSize
	}
	w, err := p.past.Window(ctx, from, windowSize)
	if err == nil && len(w.Points) == 0 && w.Known > 0 { // behind the oldest point
		w, err = p.past.Window(ctx, (w.Known-1)/windowSize*windowSize, windowSize)
	}
	if err != nil {
		return nil, err
	}
	if p.o.Static {
		w.Present = ""
	} else if w.Present, err = p.past.Present(ctx, p.env.Now, presentWait); err != nil {
		w.Present = "" // the page is shown without it
	}
	page := timelinePage{Window: w, Days: p.o.Views.Days(w)}
	if err := p.at(ctx, page.addBack); err != nil {
		return nil, err
	}
	a := &answer{template: "timeline", title: "Timeline", section: "timeline", live: true, body: page}
	if w.From > 0 {
		a.newer = p.o.Links.Timeline(max(w.From-windowSize, 0))
	}
	if end := w.From + len(w.Points); w.More || end < w.Known {
		a.older = p.o.Links.Timeline(end)
	}
	return a, nil
}

// Name makes the addresses of the timeline's pages and of its points, in their order, until enough says so.
func (p *Pages) Name(ctx context.Context, enough func() bool) error {
	for from := 0; !enough(); from += windowSize {
		w, err := p.past.Outline(ctx, from, windowSize)
		if err != nil || len(w.Points) == 0 {
			return err
		}
		p.o.Links.Timeline(from)
		for _, point := range w.Points {
			p.o.Links.Point(point.ID)
		}
	}
	return nil
}

// addBack adds where undo and redo lead.
func (t *timelinePage) addBack(wp *workplace.Workplace) error {
	undo, redo, err := rewind.NextBack(wp.Engine)
	if undo != nil {
		t.Undo = rewindlib.EntryWords(*undo)
	}
	if redo != nil {
		t.Redo = rewindlib.EntryWords(*redo)
	}
	return err
}

// present says where the worktree stands, however long that takes.
func (p *Pages) present(ctx context.Context, _ *http.Request) (*answer, error) {
	id, err := p.past.Present(ctx, p.env.Now, time.Minute)
	if err != nil {
		return nil, err
	}
	return &answer{body: map[string]string{"present": id}}, nil
}

func (p *Pages) keys(context.Context, *http.Request) (*answer, error) {
	return &answer{template: "keys", title: "Keys", body: view.Keys(), json: map[string]any{"keys": view.Keys()}}, nil
}

// intOf returns a parameter that is a number of at least 0, else another number.
func intOf(r *http.Request, name string, otherwise int) int {
	if n, err := strconv.Atoi(r.FormValue(name)); err == nil && n >= 0 {
		return n
	}
	return otherwise
}

func itoa(n int) string { return strconv.Itoa(n) }
