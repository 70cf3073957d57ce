package lists

import (
	"cmp"
	"slices"
)

// A guesser is a walker that can go through more documents than match, which is faster, and then say of one of
// them whether it matches. Where others must match, too, few are left to ask about.
type guesser interface {
	Walker
	guess() Walker
	confirm(doc uint32) (bool, error)
}

// An all walks through the documents that all of some walkers match, and none of others.
type all struct {
	wanted, unwanted []Walker  // the rarest of wanted first
	asked            []guesser // whose guesses are in wanted
	ended            bool      // the others may be further on than the first, so that it cannot be asked again
}

// NewAll returns a walker of what all of wanted match and none of unwanted.
func NewAll(wanted, unwanted []Walker) Walker {
	if len(wanted) == 1 && len(unwanted) == 0 {
		return wanted[0]
	}
	a := &all{unwanted: unwanted}
	for _, w := range wanted {
		if g, ok := w.(guesser); ok && len(wanted) > 1 {
			a.asked = append(a.asked, g)
			w = g.guess()
		}
		a.wanted = append(a.wanted, w)
	}
	slices.SortStableFunc(a.wanted, func(a, b Walker) int { return cmp.Compare(a.Size(), b.Size()) })
	return a
}

func (a *all) Size() int { return a.wanted[0].Size() }

func (a *all) Seek(from uint32) (uint32, error) {
	for !a.ended {
		doc, err := a.wanted[0].Seek(from)
		if doc != None && err == nil {
			from, err = a.fits(doc)
		}
		if a.ended = doc == None || from == None || err != nil; a.ended {
			return None, err
		}
		if from == doc {
			return doc, nil
		}
	}
	return None, nil
}

// fits returns the document if all others agree, or else from where to go on.
func (a *all) fits(doc uint32) (uint32, error) {
	for _, w := range a.wanted[1:] {
		if other, err := w.Seek(doc); other != doc || err != nil {
			return other, err
		}
	}
	for _, w := range a.unwanted {
		if other, err := w.Seek(doc); other == doc || err != nil {
			return doc + 1, err
		}
	}
	for _, g := range a.asked {
		if ok, err := g.confirm(doc); !ok || err != nil {
			return doc + 1, err
		}
	}
	return doc, nil
}

// A some walks through the documents that at least need of some walkers match. A document with so many is
// among those of the rarest ones, lead.
type some struct {
	need       int
	lead, rest []Walker
	at         []uint32 // where lead stands
	begun      bool
}

// NewSome returns a walker of what at least need of some walkers match.
func NewSome(need int, of []Walker) Walker {
	if len(of) == 1 {
		return of[0]
	}
	slices.SortStableFunc(of, func(a, b Walker) int { return cmp.Compare(a.Size(), b.Size()) })
	n := len(of) - need + 1
	s := &some{need: need, lead: of[:n], rest: of[n:], at: make([]uint32, n)}
	if need == 1 && slices.ContainsFunc(of, func(w Walker) bool { _, ok := w.(guesser); return ok }) {
		return &oneOf{*s}
	}
	return s
}

func (s *some) Size() int {
	sum := 0
	for _, w := range s.lead {
		sum += w.Size()
	}
	return sum
}

func (s *some) Seek(from uint32) (uint32, error) {
	for {
		doc, have := None, 0
		for i, w := range s.lead {
			if s.at[i] < from || !s.begun {
				var err error
				if s.at[i], err = w.Seek(from); err != nil {
					return None, err
				}
			}
			switch {
			case s.at[i] < doc:
				doc, have = s.at[i], 1
			case s.at[i] == doc:
				have++
			}
		}
		s.begun = true
		if doc == None {
			return None, nil
		}
		for _, w := range s.rest {
			if have >= s.need {
				break
			}
			other, err := w.Seek(doc)
			if err != nil {
				return None, err
			}
			if other == doc {
				have++
			}
		}
		if have >= s.need {
			return doc, nil
		}
		from = doc + 1
	}
}

// A oneOf is a some of one that can guess.
type oneOf struct{ some }

func (o *oneOf) guess() Walker {
	list := make([]Walker, len(o.lead))
	for i, w := range o.lead {
		list[i] = w
		if g, ok := w.(guesser); ok {
			list[i] = g.guess()
		}
	}
	return NewSome(1, list)
}

func (o *oneOf) confirm(doc uint32) (bool, error) {
	for _, w := range o.lead {
		if g, ok := w.(guesser); ok {
			if yes, err := g.confirm(doc); yes || err != nil {
				return yes, err
			}
			continue
		}
		if at, err := w.Seek(doc); at == doc || err != nil {
			return err == nil, err
		}
	}
	return false, nil
}

// A gathered is a leaf of several lists that were read as a whole.
type gathered struct {
	docs   []uint32
	scores []float64
	from   []int // where the spots of each begin; one more at the end
	spots  []spot
	i      int
}

func (g *gathered) Size() int { return len(g.docs) }

func (g *gathered) Seek(from uint32) (uint32, error) {
	if g.i < len(g.docs) && g.docs[g.i] < from {
		n, _ := slices.BinarySearch(g.docs[g.i:], from)
		g.i += n
	}
	if g.i == len(g.docs) {
		return None, nil
	}
	return g.docs[g.i], nil
}

func (g *gathered) Weight() (float64, error) { return g.scores[g.i], nil }

func (g *gathered) places() ([]spot, error) { return g.spots[g.from[g.i]:g.from[g.i+1]], nil }

// Gather reads the lists of several entries, without their spots.
func Gather(r *Rows, p *Part, list []Entry, v View) (*gathered, error) {
	sum := 0
	for _, e := range list {
		sum += e.Docs
	}
	if sum > p.Docs/8 {
		return gatherMany(r, p, list, v)
	}
	var all []sighting
	for _, e := range list {
		c, err := NewCursor(r, p, e, v)
		if err != nil {
			return nil, err
		}
		for doc, err := c.Seek(0); doc != None || err != nil; doc, err = c.Seek(doc + 1) {
			if err != nil {
				return nil, err
			}
			score, err := c.Weight()
			if err != nil {
				return nil, err
			}
			all = append(all, sighting{doc: doc, score: score})
		}
	}
	return newGathered(all), nil
}

// GatherSpots reads the spots of the lists of several entries, in those documents that others match, too.
func GatherSpots(r *Rows, p *Part, list []Entry, v View, others Walker) (*gathered, error) {
	var docs []uint32
	for doc, err := others.Seek(0); doc != None || err != nil; doc, err = others.Seek(doc + 1) {
		if err != nil {
			return nil, err
		}
		docs = append(docs, doc)
	}
	var all []sighting
	for _, e := range list {
		c, err := NewCursor(r, p, e, v)
		if err != nil {
			return nil, err
		}
		for i := 0; i < len(docs); {
			doc, err := c.Seek(docs[i])
			if err != nil {
				return nil, err
			}
			if doc != docs[i] {
				n, _ := slices.BinarySearch(docs[i:], doc)
				i += n
				continue
			}
			places, err := c.places()
			if err != nil {
				return nil, err
			}
			for _, s := range places {
				if v.Columns&(1<<(s>>columnAt)) != 0 {
					all = append(all, sighting{doc, Weights[s>>columnAt], s})
				}
			}
			i++
		}
	}
	return newGathered(all), nil
}

// A sighting is a document of a list, or a spot in it.
type sighting struct {
	doc   uint32
	score float64
	spot  spot
}

func newGathered(all []sighting) *gathered {
	slices.SortFunc(all, func(a, b sighting) int { return cmp.Or(cmp.Compare(a.doc, b.doc), cmp.Compare(a.spot, b.spot)) })
	g := &gathered{from: []int{0}}
	for _, f := range all {
		if n := len(g.docs); n == 0 || g.docs[n-1] != f.doc {
			g.docs, g.scores, g.from = append(g.docs, f.doc), append(g.scores, 0), append(g.from, len(g.spots))
		}
		n := len(g.docs) - 1
		g.scores[n] += f.score
		g.spots = append(g.spots, f.spot)
		g.from[n+1] = len(g.spots)
	}
	return g
}

// gatherMany is gather without spots for lists that have many of the part's documents.
func gatherMany(r *Rows, p *Part, list []Entry, v View) (*gathered, error) {
	sums := make([]float64, p.Docs)
	for _, e := range list {
		c, err := NewCursor(r, p, e, v)
		if err != nil {
			return nil, err
		}
		for doc, err := c.Seek(0); doc != None || err != nil; doc, err = c.Seek(doc + 1) {
			if err != nil {
				return nil, err
			}
			if int(doc) >= len(sums) {
				return nil, ErrDamaged
			}
			score, err := c.Weight()
			if err != nil {
				return nil, err
			}
			sums[doc] += score
		}
	}
	g := &gathered{}
	for doc, sum := range sums {
		if sum > 0 {
			g.docs, g.scores = append(g.docs, uint32(doc)), append(g.scores, sum)
		}
	}
	return g, nil
}
