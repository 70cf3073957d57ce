package pane

import (
	"entire/internal/timeline"
)

const (
	PageSize = 100
	pagesMax = 48 // kept at once
)

// Pages are the points of a timeline as far as they were read and not forgotten again.
type Pages struct {
	of    map[int][]timeline.Point
	Known int
	More  bool // there are points after the known ones
	Read  bool // something was read
}

// At returns a point, nil for one that is not at hand.
func (p *Pages) At(i int) *timeline.Point {
	if i < 0 {
		return nil
	}
	page := p.of[i/PageSize]
	if k := i % PageSize; k < len(page) {
		return &page[k]
	}
	return nil
}

// Take stores a window, which begins at the beginning of a page.
func (p *Pages) Take(w timeline.Window) {
	if p.of == nil {
		p.of = map[int][]timeline.Point{}
	}
	p.Known, p.More, p.Read = w.Known, w.More, true
	for i := 0; i < len(w.Points); i += PageSize {
		p.of[(w.From+i)/PageSize] = w.Points[i:min(i+PageSize, len(w.Points))]
	}
	for k := range p.of {
		if len(p.of) > pagesMax && (k*PageSize < w.From-PageSize || k*PageSize > w.From+len(w.Points)+PageSize) {
			delete(p.of, k)
		}
	}
}

// Missing returns the window, in whole pages, that has the points from up to, but without, to that are
// not at hand; limit is 0 if there are none.
func (p *Pages) Missing(from, to int) (first, limit int) {
	from = max(from, 0)
	if p.Read && !p.More {
		to = min(to, p.Known)
	}
	for from < to && p.At(from) != nil {
		from++
	}
	for to > from && p.At(to-1) != nil {
		to--
	}
	if from >= to {
		return 0, 0
	}
	first = from / PageSize * PageSize
	return first, (to - first + PageSize - 1) / PageSize * PageSize
}

// Index returns the index of the point with an ID among those at hand, -1 for none.
func (p *Pages) Index(id string) int {
	for k, page := range p.of {
		for i := range page {
			if page[i].ID == id {
				return k*PageSize + i
			}
		}
	}
	return -1
}
