package redact

import (
	"slices"
	"strconv"
)

// members describes an object: its keys, including new ones, and its type.
type members struct {
	taken map[string]bool
	count map[string]int // by key: the last number appended to it
	typ   string
}

// of returns the members of the object that starts at start. The first call reads all objects in one
// pass, because a pass for each nested object would take too long.
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

// unique returns key, with a number appended if the object has a member of that name.
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
