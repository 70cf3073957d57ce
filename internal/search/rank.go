package search

import (
	"cmp"
	"slices"

	"entire/internal/search/lists"
)

// matches returns the documents that match, best first.
func (f *finder) matches(root *Node) ([]match, error) {
	terms := addTerms(nil, root)
	if err := f.weigh(terms); err != nil {
		return nil, err
	}
	v := lists.View{Columns: f.req.Filter.columns()}
	v.Telling = v.Columns&^lists.Telling == 0
	found, err := f.latestWith(root, v, comparedMax+1)
	if err == nil {
		err = f.score(found, terms, v)
	}
	if err != nil {
		return nil, err
	}
	if len(found) > comparedMax {
		f.a.More = true
		found = found[:comparedMax]
		if v.Columns == lists.Everything.Columns {
			v = lists.View{Telling: true, Columns: lists.Telling}
			told, err := f.latestWith(root, v, comparedMax)
			if err == nil {
				err = f.score(told, terms, v)
			}
			if err != nil {
				return nil, err
			}
			found = merged(found, told)
		}
	}
	f.a.Matches = max(f.a.Matches, len(found))
	for i := range found {
		found[i].score *= f.factor(found[i].id)
		found[i].level = leveled(found[i].score)
	}
	// Treat almost equal scores as equal, so that the later row comes first.
	slices.SortFunc(found, func(a, b match) int { return cmp.Or(cmp.Compare(b.level, a.level), cmp.Compare(b.id, a.id)) })
	return found, nil
}

// latestWith returns the latest documents that match and that the filter accepts, without their scores.
func (f *finder) latestWith(root *Node, v lists.View, limit int) (found []match, err error) {
	for i := range f.known.parts {
		p := &f.known.parts[i]
		w, err := f.walker(root, p, v)
		if err != nil {
			return nil, err
		}
		for doc, err := w.Seek(0); doc != lists.None || err != nil; doc, err = w.Seek(doc + 1) {
			if err != nil {
				return nil, err
			}
			at, err := f.rows.Place(p, doc)
			if err != nil {
				return nil, err
			}
			if ok, err := f.accepts(p, doc, at.ID); err != nil {
				return nil, err
			} else if !ok {
				continue
			}
			if found = append(found, match{id: at.ID, words: at.Words, part: p, doc: doc}); len(found) == limit {
				return found, nil
			}
			if len(found)%1024 == 0 && f.ctx.Err() != nil {
				return nil, f.ctx.Err()
			}
		}
		if f.ctx.Err() != nil {
			return nil, f.ctx.Err()
		}
	}
	return found, nil
}

// accepts reports whether a document was not removed and the filter accepts it.
func (f *finder) accepts(p *lists.Part, doc uint32, id int64) (bool, error) {
	if lists.DeadIn(f.known.graves, p.Number, id) {
		return false, nil
	}
	if !f.all {
		if _, ok := slices.BinarySearch(f.allowed, id>>lists.NumberBits); !ok {
			return false, nil
		}
	}
	since, until := f.req.Filter.Since, f.req.Filter.Until
	if since.IsZero() && until.IsZero() {
		return true, nil
	}
	at, err := f.rows.Number(p, lists.RowTimes, doc)
	return (since.IsZero() || at >= since.UnixMilli()) && (until.IsZero() || at < until.UnixMilli()), err
}

// score sets the scores of matches, by bm25. Those of a part follow each other, in the part's order.
func (f *finder) score(found []match, terms []*term, v lists.View) error {
	usual := float64(f.known.words) / max(float64(f.known.docs), 1)
	for len(found) > 0 {
		p, n := found[0].part, 1
		for n < len(found) && found[n].part == p {
			n++
		}
		for _, t := range terms {
			l, err := f.leaf(t, p, v)
			if err != nil {
				return err
			}
			for i := range found[:n] {
				m := &found[i]
				doc, err := l.Seek(m.doc)
				if err != nil {
					return err
				}
				if doc != m.doc {
					continue
				}
				often, err := l.Weight()
				if err != nil {
					return err
				}
				length := bm25K * (1 - bm25B + bm25B*float64(m.words)/usual)
				m.score += float64(t.times) * t.rarity * often * (bm25K + 1) / (often + length)
			}
		}
		found = found[n:]
	}
	return nil
}

func merged(a, b []match) []match {
	have := make(map[int64]bool, len(a))
	for _, m := range a {
		have[m.id] = true
	}
	for _, m := range b {
		if !have[m.id] {
			a = append(a, m)
		}
	}
	return a
}
