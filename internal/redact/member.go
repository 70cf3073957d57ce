package redact

import (
	"slices"
	"strconv"
)

// members is what an object says of itself: the keys it has or was given, and its type.
type members struct {
	taken map[string]bool
	count map[string]int // by key: the last number behind it
	typ   string
}

// of returns the members of the object that starts at start. All objects are read in one pass,
// when the first is asked for: one pass for each would take too long where they are nested.
func (w *walker) of(start int) *members {
	if w.members == nil {
		w.members = membersOf(w.in)
	}
	return w.members[start]
}

func membersOf(in []byte) map[int]*members {
	all := make(map[int]*members)
	w := walker{in: in}
	w.each(func(start, end int, isKey bool) {
		if len(w.open) == 0 || w.top().array {
			return
		}
		o := w.top()
		m := all[o.start]
		if m == nil {
			m = &members{taken: make(map[string]bool), count: make(map[string]int)}
			all[o.start] = m
		}
		switch {
		case isKey:
			o.key = decode(in[start:end])
			m.taken[o.key] = true
		case o.key == "type":
			m.typ = decode(in[start:end])
		}
	})
	return all
}

// unique returns key, or with a number what no other member of the object is called.
func (m *members) unique(key []byte) []byte {
	base := decode(key)
	name := base
	for n := max(2, m.count[base]+1); m.taken[name]; n++ {
		name = base + "_" + strconv.Itoa(n)
		m.count[base] = n
	}
	m.taken[name] = true
	return append(slices.Clip(key), name[len(base):]...)
}
