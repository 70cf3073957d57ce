package attribution

// Workspace is memory for histories, one after the other, which reuse it. In a short-lived
// process, the first access to a page of memory costs more than the work in it. The zero
// Workspace is ready for use. It is not safe for concurrent use.
type Workspace struct {
	lineTable lineTable
	diff      myers

	int32Slab slab[int32]
	boolSlab  slab[bool]
	lineSlab  slab[lineState]
	fateSlab  slab[fate]
	form      []byte // see hasWords
}

// newWorkspace returns a Workspace whose comparisons may spend effort steps.
func newWorkspace(effort int) *Workspace {
	r := &Workspace{}
	r.clear(effort)
	return r
}

// clear resets the memory.
func (r *Workspace) clear(effort int) {
	r.lineTable.clear(r)
	r.diff.workspace, r.diff.effort, r.diff.weight = r, effort, nil
	r.int32Slab.clear()
	r.boolSlab.clear()
	r.lineSlab.clear()
	r.fateSlab.clear()
}

// Begin starts a history with a text, empty for a file that does not exist yet. Earlier
// histories of the Workspace must not be used afterwards.
func (r *Workspace) Begin(base []byte) *History {
	r.clear(effort)
	h := &History{workspace: r, owners: []Owner{{}}}
	st := &versionState{text: r.lineTable.read(base)}
	st.lines = r.lineSlab.take(len(st.text.ids))
	for i := range st.lines {
		st.lines[i] = lineState{serial: h.serial(), origin: int32(i)}
	}
	st.fates = r.fateSlab.take(len(st.lines))
	h.states, h.by = []*versionState{st}, []ownerIndex{beforeIndex}
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
