package search

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/klauspost/compress/s2"
)

// takeChunk is how many rows are read at once.
const takeChunk = 64

// addHits adds matches to the answer, best first, until it is full. It adds one of several messages with
// the same text, and the best of adjacent messages.
func (f *finder) addHits(found []match, root *Node) error {
	marker := newMarker(root)
	for chunk := range slices.Chunk(found, takeChunk) {
		read, err := f.read(chunk)
		if err != nil {
			return err
		}
		for _, m := range chunk {
			d, ok := read[m.id]
			if !ok || f.used[m.id] {
				continue
			}
			if f.addToHit(m.id, d) {
				continue
			}
			if len(f.a.Hits) >= f.req.Limit {
				return nil
			}
			h, err := f.hit(m, d, marker)
			if err != nil {
				return err
			}
			f.used[m.id] = true
			f.byText[d.same], f.byPlace[m.id] = len(f.a.Hits), len(f.a.Hits)
			f.a.Hits = append(f.a.Hits, h)
		}
	}
	return nil
}

// addToHit adds a row to an existing hit if it has the same text or is adjacent. It reports whether the
// row needs no hit of its own.
func (f *finder) addToHit(id int64, d saidRow) bool {
	r := f.byNumber[id>>numberBits]
	if r == nil {
		return true
	}
	number := int(id & (1<<numberBits - 1))
	if i, ok := f.byText[d.same]; ok {
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
		if !ok || number == 0 || next&(1<<numberBits-1) == 0 {
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

// saidRow is a row of table said.
type saidRow struct {
	at    int64
	flags int
	same  int64
	uuid  string
	text  []byte
}

func (f *finder) read(chunk []match) (map[int64]saidRow, error) {
	ids := make([]string, len(chunk))
	for i, m := range chunk {
		ids[i] = fmt.Sprint(m.id)
	}
	rows, err := f.x.db.QueryContext(f.ctx, "SELECT id, at, flags, same, uuid, text FROM said WHERE id IN ("+strings.Join(ids, ",")+")")
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	out := make(map[int64]saidRow, len(chunk))
	for rows.Next() {
		var id int64
		var d saidRow
		if err := rows.Scan(&id, &d.at, &d.flags, &d.same, &d.uuid, &d.text); err != nil {
			return nil, err
		}
		out[id] = d
	}
	return out, rows.Err()
}

func (f *finder) hit(m match, d saidRow, marker *marker) (Hit, error) {
	r := f.byNumber[m.id>>numberBits]
	text, err := s2.Decode(nil, d.text)
	if err != nil {
		return Hit{}, fmt.Errorf("%s: %w", r.name, err)
	}
	h := Hit{Kind: r.kind, Name: r.name, Card: r.card, Number: int(m.id & (1<<numberBits - 1)), UUID: d.uuid, Score: m.score,
		Failed: d.flags&flagFailed != 0, Rewound: d.flags&flagRewound != 0, Subagent: d.flags&flagSubagent != 0}
	if h.Number > 0 {
		h.Role = columnRole[d.flags>>flagRoleAt&flagRoleAll]
	}
	if d.at != 0 {
		h.At = time.UnixMilli(d.at).UTC()
	}
	h.Snippet, h.Marks = marker.snippet(string(text))
	return h, nil
}
