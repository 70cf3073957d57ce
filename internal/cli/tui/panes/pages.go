package panes

import (
	"entire/internal/timeline"
)

const (
	pageSize = 100
	pagesMax = 48 // kept at once
)

// pages are the points of a timeline as far as they were read and not forgotten again.
type pages struct {
	of    map[int][]timeline.Point
	known int
	more  bool // there are points after the known ones
	read  bool // something was read
}

// at returns a point, nil for one that is not at hand.
func (p *pages) at(i int) *timeline.Point {
	if i < 0 {
		return nil
	}
	page := p.of[i/pageSize]
	if k := i % pageSize; k < len(page) {
		return &page[k]
	}
	return nil
}

// take stores a window, which begins at the beginning of a page.
func (p *pages) take(w timeline.Window) {
	if p.of == nil {
		p.of = map[int][]timeline.Point{}
	}
	p.known, p.more, p.read = w.Known, w.More, true
	for i := 0; i < len(w.Points); i += pageSize {
		p.of[(w.From+i)/pageSize] = w.Points[i:min(i+pageSize, len(w.Points))]
	}
	for k := range p.of {
		if len(p.of) > pagesMax && (k*pageSize < w.From-pageSize || k*pageSize > w.From+len(w.Points)+pageSize) {
			delete(p.of, k)
		}
	}
}

// missing returns the window, in whole pages, that has the points from up to, but without, to that are
// not at hand; limit is 0 if there are none.
func (p *pages) missing(from, to int) (first, limit int) {
	from = max(from, 0)
	if p.read && !p.more {
		to = min(to, p.known)
	}
	for from < to && p.at(from) != nil {
		from++
	}
	for to > from && p.at(to-1) != nil {
		to--
	}
	if from >= to {
		return 0, 0
	}
	first = from / pageSize * pageSize
	return first, (to - first + pageSize - 1) / pageSize * pageSize
}

// index returns the index of the point with an ID among those at hand, -1 for none.
func (p *pages) index(id string) int {
	for k, page := range p.of {
		for i := range page {
			if page[i].ID == id {
				return k*pageSize + i
			}
		}
	}
	return -1
}
