package redact

import "math/bits"

// Most rules match a name, up to 20 bytes, an operator and a value:
//
//	[\w.-]{0,50}? NAME [ \t\w.-]{0,20} [\s'"]{0,3} OPERATOR [\x60'"\s=]{0,5} VALUE
//
// An operator's bytes are in neither class in front of it, so there is one place where it
// can be, and one run of bytes the value is a part of.

// assignReach is how far in front of a name a match may begin, and a little more.
const assignReach = 64

// gapLimit is how far the operator may be from the end of the first part of a name.
const gapLimit = 60

var (
	wordByte  = byteSet{0x3ff000000000000, 0x7fffffe87fffffe}
	gapByte   = byteSet{0x3ff600100000200, 0x7fffffe87fffffe} // [ \t\w.-]
	quoteByte = byteSet{spaces | 1<<'\'' | 1<<'"'}            // [\s'"]
	operator  = byteSet{1<<'=' | 1<<'>' | 1<<':' | 1<<'?' | 1<<',', 1 << ('|' - 64)}
	frontByte = byteSet{spaces | 1<<'\'' | 1<<'"' | 1<<'=', 1 << ('`' - 64)}
	valueByte = byteSet{0x23ffe80000000000, 0x7fffffe87fffffe} // [\w.=+/-]
	nameByte  = byteSet{1<<'-' | 1<<'.', 0x7fffffe87fffffe}    // [a-zA-Z_.-]
)

const spaces = 1<<'\t' | 1<<'\n' | 1<<'\f' | 1<<'\r' | 1<<' '

// assigned is the run of bytes that holds the value assigned to a name; end is -1 if there is none.
type assigned struct{ start, end int }

// assignedAfter returns what is assigned to the name that ends, or whose first part ends, at i.
func assignedAfter(s string, i int) assigned {
	i = skip(s, i, gapLimit, &gapByte)
	i = skip(s, i, 3, &quoteByte)
	op := i
	i = skip(s, i, 4, &operator)
	if i == op {
		return assigned{end: -1}
	}
	i = skip(s, i, 5, &frontByte)
	for i > op+1 && s[i-1] == '=' {
		i-- // may be part of the value
	}
	return assigned{i, skip(s, i, len(s), &valueByte)}
}

func skip(s string, i, n int, set *byteSet) int {
	for end := min(len(s), i+min(n, len(s))); i < end && set.has(s[i]); i++ {
	}
	return i
}

// fits says whether the value may be a secret of rule r.
func (v assigned) fits(r *rule, s string) bool {
	if v.end-v.start < r.min {
		return false
	}
	if r.distinct == 0 {
		return true
	}
	var seen byteSet
	plain := true
	for i := v.start; i < v.end; i++ {
		c := s[i]
		seen[c>>6&1] |= 1 << (c & 63)
		plain = plain && nameByte.has(c)
	}
	if plain && r.id == genericRule {
		return false // the rule's allowlist has ^[a-zA-Z_.-]+$
	}
	return bits.OnesCount64(seen[0])+bits.OnesCount64(seen[1]) >= r.distinct
}

// reach is where a match with the value ends at the latest.
func (v assigned) reach(r *rule, s string) int {
	end := v.end
	if r.distinct == 0 { // the value may hold other bytes
		for end < len(s) && end < v.end+150 && s[end] > ' ' {
			end++
		}
	}
	return min(len(s), end+2)
}

// genericRule is the rule for any word like "key" or "token", by far the most frequent.
const genericRule = "generic-api-key"
