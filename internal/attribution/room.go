package attribution

// Room is memory for histories, one after the other, which reuse it. In a short-lived
// process, the first access to a page of memory costs more than the work in it. The zero
// Room is ready for use. It is not safe for concurrent use.
type Room struct {
	words words
	diff  myers

	numbers slab[int32]
	flags   slab[bool]
	lines   slab[written]
	gone    slab[gone]
}

// newRoom returns a Room whose comparisons may spend effort steps.
func newRoom(effort int) *Room {
	r := &Room{}
	r.clear(effort)
	return r
}

// clear resets the memory.
func (r *Room) clear(effort int) {
	r.words.clear(r)
	r.diff.room, r.diff.effort, r.diff.weight = r, effort, nil
	r.numbers.clear()
	r.flags.clear()
	r.lines.clear()
	r.gone.clear()
}

// Begin starts a history with a text, empty for a file that does not exist yet. Earlier
// histories of the Room must not be used afterwards.
func (r *Room) Begin(base []byte) *History {
	r.clear(effort)
	h := &History{room: r, owners: []Owner{{}}}
	st := &state{text: r.words.read(base)}
	st.lines = r.lines.take(len(st.text.ids))
	for i := range st.lines {
		st.lines[i] = written{serial: h.serial(), origin: int32(i)}
	}
	st.gone = r.gone.take(len(st.lines))
	h.states = []*state{st}
	return h
}

// slab hands out slices, which are all given back at once.
type slab[T any] struct {
	chunks [][]T
	at     int // the chunk in use
	used   int // elements of that chunk in use
}

// chunkLeast is the least number of elements in one allocation.
const chunkLeast = 4096

// take returns n elements, all zero.
func (s *slab[T]) take(n int) []T {
	for s.at < len(s.chunks) && len(s.chunks[s.at])-s.used < n {
		s.at, s.used = s.at+1, 0
	}
	if s.at == len(s.chunks) {
		s.chunks = append(s.chunks, make([]T, max(n, chunkLeast)))
	}
	out := s.chunks[s.at][s.used : s.used+n : s.used+n]
	s.used += n
	clear(out)
	return out
}

func (s *slab[T]) clear() { s.at, s.used = 0, 0 }
