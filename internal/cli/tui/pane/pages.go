package pane

import (
	"entire/internal/timeline"
)

const (
	PageSize = 100
	pagesMax = 16 // kept at once
)

// Pages are the points of a timeline as far as they were read and not forgotten again.
type Pages struct {
	of      map[int][]timeline.Point
	counted map[int]bool // pages whose points say how much they changed
	Known   int
	More    bool // there are points after the known ones
	Read    bool // something was read
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

// Take stores a window, which begins at the beginning of a page. counted is false for an outline, which does
// not say how much the points changed.
func (p *Pages) Take(w timeline.Window, counted bool) {
	if p.of == nil {
		p.of, p.counted = map[int][]timeline.Point{}, map[int]bool{}
	}
	p.Known, p.More, p.Read = w.Known, w.More, true
	for i := 0; i < len(w.Points); i += PageSize {
		k := (w.From + i) / PageSize
		p.of[k], p.counted[k] = w.Points[i:min(i+PageSize, len(w.Points))], counted
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

// Uncounted returns the window, in whole pages, that has the points at hand from up to, but without, to of
// which it is not known how much they changed; limit is 0 if there are none.
func (p *Pages) Uncounted(from, to int) (first, limit int) {
	for k := max(from, 0) / PageSize; k*PageSize < to; k++ {
		if len(p.of[k]) == 0 || p.counted[k] {
			continue
		}
		if limit == 0 {
			first = k * PageSize
		}
		limit = (k+1)*PageSize - first
	}
	return first, limit
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
