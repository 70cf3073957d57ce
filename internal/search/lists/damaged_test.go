package lists

import (
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"testing"
)

// FuzzLists: whatever stands in the rows of a list, it is read as a list or called damaged.
func FuzzLists(f *testing.F) {
	f.Add([]byte{5, 0x12, 1, 0x10, 7, 9}, 2, 0, 4, 2)
	f.Add([]byte{9, 3, 4, 0xff, 0xff, 0xff, 0xff, 0x0f, 1, 2, 3, 4}, 300, 3, 5, 4)
	f.Fuzz(func(t *testing.T, data []byte, docs, table, ords, spots int) {
		if docs < 0 || docs > 1<<20 || min(table, ords, spots) < 0 || table+ords+spots > 1<<20 {
			return
		}
		p := &Part{Number: 1, Docs: 1000}
		r := &Rows{kept: &KeptRows{Most: 4 << 20}}
		for n := 0; n*listBytes < max(len(data), table+ords+spots+1); n++ {
			r.kept.Add(rowOf(1, rowLists, n), data[min(n*listBytes, len(data)):min((n+1)*listBytes, len(data))])
		}
		e := Entry{Docs: docs, table: table, ords: ords, spots: spots}
		c, err := NewCursor(r, p, e, Everything)
		for doc := uint32(0); err == nil; {
			if doc, err = c.Seek(doc); doc == None || err != nil {
				break
			}
			if _, err = c.places(); doc%7 == 0 {
				doc += 40
			}
			doc++
		}
		if err != nil && !errors.Is(err, ErrDamaged) {
			t.Fatal(err)
		}
		_ = eachDoc(docs, data[:min(ords, len(data))], data[min(ords, len(data)):], func(uint32, []tally, []spot) error { return nil })
	})
}

// FuzzDict: whatever stands in a row of a dictionary, its entries have keys and lengths, or it is called damaged.
func FuzzDict(f *testing.F) {
	f.Add([]byte{0, 0, 1, 'a', 1, 0, 2, 3, 1, 1, 'b', 1, 0, 2, 3})
	f.Fuzz(func(t *testing.T, data []byte) {
		d := readDict(data)
		for n := 0; d.next(); n++ {
			if n > len(data) || len(d.key) > len(data) || min(d.entry.Docs, d.entry.table, d.entry.ords, d.entry.spots) < 0 {
				t.Fatalf("entry %d: %+v", n, d.entry)
			}
		}
	})
}

// TestSkipGoesWhereReadingWouldGo compares skipping with reading one number after another.
func TestSkipGoesWhereReadingWouldGo(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 11))
	for range 500 {
		var data []byte
		starts := []int{}
		for range rng.IntN(60) {
			starts = append(starts, len(data))
			data = binary.AppendUvarint(data, rng.Uint64()>>(24+rng.IntN(40)))
		}
		starts = append(starts, len(data))
		from := rng.IntN(len(starts))
		for to := from; to < len(starts); to++ {
			if got := skip(data, starts[from], to-from); got != starts[to] {
				t.Fatalf("skip %d numbers from the %dth of %x: at %d, want %d", to-from, from, data, got, starts[to])
			}
		}
		if got := skip(data, starts[from], len(starts)-from); got <= len(data) {
			t.Fatalf("skip found %d numbers from the %dth of %x", len(starts)-from, from, data)
		}
	}
}
