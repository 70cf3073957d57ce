package attribution

// Room is where histories are told one after the other, each in the memory of the
// one before. In a process that lives for a moment, a page of memory that is
// touched for the first time costs more than what is done in it. The zero Room is
// ready for use. Not safe for concurrent use.
type Room struct {
	words words
	diff  myers

	numbers slab[int32]
	flags   slab[bool]
	lines   slab[written]
	gone    slab[gone]
}

// newRoom is a Room for comparing texts, with as much effort.
func newRoom(effort int) *Room {
	r := &Room{}
	r.clear(effort)
	return r
}

// clear forgets whatever was told.
func (r *Room) clear(effort int) {
	r.words.clear(r)
	r.diff.room, r.diff.effort, r.diff.weight = r, effort, nil
	r.numbers.clear()
	r.flags.clear()
	r.lines.clear()
	r.gone.clear()
}

// Begin starts a history at a text, empty for a file that is not there yet. The
// Room's earlier histories must not be used any more.
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

// slab lends slices that all go back at once.
type slab[T any] struct {
	chunks [][]T
	at     int // the chunk in use
	used   int // of it
}

// chunkLeast is how many elements are allocated together at least.
const chunkLeast = 4096

// take lends n elements, all zero.
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
