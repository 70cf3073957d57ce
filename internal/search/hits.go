package search

import (
	"fmt"
	"slices"
	"time"

	"github.com/klauspost/compress/s2"

	"entire/internal/search/lists"
)

// addHits adds matches to the answer, best first, until it is full. It adds one of several messages with
// the same text, and the best of adjacent messages.
func (f *finder) addHits(found []match, root *Node) error {
	marker := newMarker(root)
	for _, m := range found {
		if f.used[m.id] {
			continue
		}
		text, err := f.text(m)
		if err != nil {
			return err
		}
		if f.addToHit(m.id, text) {
			continue
		}
		if len(f.a.Hits) >= f.req.Limit {
			return nil
		}
		h, err := f.hit(m, marker)
		if err != nil {
			return err
		}
		f.used[m.id] = true
		f.byText[text], f.byPlace[m.id] = len(f.a.Hits), len(f.a.Hits)
		f.a.Hits = append(f.a.Hits, h)
	}
	return nil
}

// text returns the fingerprint of a match's text; an entry itself is like no other.
func (f *finder) text(m match) (int64, error) {
	switch {
	case m.part != nil:
		return f.rows.Number(m.part, lists.RowTexts, m.doc)
	case m.id&(1<<lists.NumberBits-1) == 0:
		return m.id, nil
	}
	var packed []byte
	err := f.tx.QueryRowContext(f.ctx, "SELECT text FROM said WHERE id = ?", m.id).Scan(&packed)
	if err != nil {
		return 0, err
	}
	text, err := s2.Decode(nil, packed)
	return fingerprint(string(text)), err
}

// addToHit adds a row to an existing hit if it has the same text or is adjacent. It reports whether the
// row needs no hit of its own.
func (f *finder) addToHit(id, text int64) bool {
	r := f.byNumber[id>>lists.NumberBits]
	if r == nil {
		return true
	}
	number := int(id & (1<<lists.NumberBits - 1))
	if i, ok := f.byText[text]; ok {
		if h := &f.a.Hits[i]; len(h.Same) < sameMax {
			h.Same = append(h.Same, Place{r.name, number})
		}
		f.used[id] = true
		return true
	}
	if number == 0 && r.kind == Conversation && slices.ContainsFunc(f.a.Hits, func(h Hit) bool { return h.Kind == r.kind && h.Name == r.name }) {
		return true // one of its messages is shown already
	}
	for _, next := range []int64{id - 1, id + 1} {
		i, ok := f.byPlace[next]
		if !ok || number == 0 || next&(1<<lists.NumberBits-1) == 0 {
			continue
		}
		if !f.loose || i >= f.a.Whole {
			h := &f.a.Hits[i]
			h.Near = append(h.Near, number)
			slices.Sort(h.Near)
		}
		f.used[id] = true
		return true
	}
	return false
}

// sameMax is the most entries of Hit.Same.
const sameMax = 1000

func (f *finder) hit(m match, marker *marker) (Hit, error) {
	r := f.byNumber[m.id>>lists.NumberBits]
	var at, flags int64
	var uuid string
	var packed []byte
	row := f.tx.QueryRowContext(f.ctx, "SELECT at, flags, uuid, text FROM said WHERE id = ?", m.id)
	if err := row.Scan(&at, &flags, &uuid, &packed); err != nil {
		return Hit{}, fmt.Errorf("%s: %w", r.name, err)
	}
	text, err := s2.Decode(nil, packed)
	if err != nil {
		return Hit{}, fmt.Errorf("%s: %w", r.name, err)
	}
	card, err := f.card(r)
	if err != nil {
		return Hit{}, err
	}
	h := Hit{Kind: r.kind, Name: r.name, Card: card, Number: int(m.id & (1<<lists.NumberBits - 1)), UUID: uuid, Score: m.score,
		Failed: flags&flagFailed != 0, Rewound: flags&flagRewound != 0, Subagent: flags&flagSubagent != 0}
	if h.Number > 0 {
		h.Role = columnRole[flags>>flagRoleAt&flagRoleAll]
	}
	if at != 0 {
		h.At = time.UnixMilli(at).UTC()
	}
	h.Snippet, h.Marks = marker.snippet(string(text))
	return h, nil
}
