package attribution

// A group of lines that only one version has can often be taken some lines further up or down: where a function is
// added that ends as the one before it, the closing bracket of either may be the new one. Git chooses by indentation,
// in its blame and its diff. slide makes the same choice, so that a record has the lines that blame asks for.

// versions are two texts with the pairs of their lines, maybe without lines that both have before and after them.
type versions struct {
	keys          [][]byte // lines by ID
	a, b          []int32  // IDs
	of            alignment
	before, after bool   // lines were left out
	rest          []byte // those after the texts
}

// slide moves groups of added and of removed lines. It reports false if one may belong among the lines that were left
// out.
func (r *Workspace) slide(v *versions) (within bool) {
	back := r.unaligned(len(v.a))
	for j, i := range v.of {
		if i >= 0 {
			back[i] = int32(j)
		}
	}
	added := side{versions: v, own: v.b, other: v.a, to: v.of, from: back}
	removed := side{versions: v, own: v.a, other: v.b, to: back, from: v.of}
	return added.slide() && removed.slide()
}

// side is one of the versions: to has for each of its lines the one of the other version, from the reverse.
type side struct {
	*versions
	own, other []int32
	to, from   alignment
}

func (s *side) slide() bool {
	for begin := 0; begin < len(s.own); begin++ {
		end := begin
		for end < len(s.own) && s.to[end] < 0 {
			end++
		}
		if end == begin {
			continue
		}
		up, down := s.room(begin, end)
		if up+down > 0 {
			if s.before && begin-up == 0 || s.after && end+down == len(s.own) {
				return false
			}
			s.move(begin, end, s.bestEnd(end-begin, end-up, end+down)-end)
		}
		begin = end + down
	}
	return true
}

// room counts how many lines further up and down a group can be taken without another change beside it.
func (s *side) room(begin, end int) (up, down int) {
	if !s.follow(begin-1, end) {
		return 0, 0
	}
	for i := begin - 1; i >= 0 && s.own[i] == s.own[end-up-1] && s.same(i) && s.follow(i-1, i); i-- {
		up++
	}
	for i := end; i < len(s.own) && s.own[i] == s.own[begin+down] && s.same(i) && s.follow(i, i+1); i++ {
		down++
	}
	return up, down
}

// same reports whether a line equals its pair byte by byte.
func (s *side) same(i int) bool { return s.to[i] >= 0 && s.own[i] == s.other[s.to[i]] }

// follow reports whether the pairs of two lines follow one another. The lines may be those before the first and after
// the last.
func (s *side) follow(i, k int) bool {
	first, next := int32(-1), int32(len(s.other))
	if i >= 0 {
		if first = s.to[i]; first < 0 {
			return false
		}
	}
	if k < len(s.own) {
		next = s.to[k]
	}
	return next == first+1
}

// move takes a group by lines further down, or up.
func (s *side) move(begin, end, by int) {
	take := func(from, to int) {
		s.to[to], s.to[from] = s.to[from], -1
		s.from[s.to[to]] = int32(to)
	}
	for k := 1; k <= -by; k++ {
		take(begin-k, end-k)
	}
	for k := range by {
		take(end+k, begin+k)
	}
}
