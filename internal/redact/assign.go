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

// lead is how many bytes of the run may stand in front of the value: "=" belongs to both.
const lead = 5

// assignedAfter returns what is assigned to the name that ends, or whose first part ends, at i.
// The run before it is given, because names in one long run share its end: to look for the
// end from each of them would take time that grows with the square of the run.
func assignedAfter(s string, i int, before assigned) assigned {
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
	if before.start <= i && i < before.end {
		return assigned{i, before.end}
	}
	return assigned{i, skip(s, i, len(s), &valueByte)}
}

func skip(s string, i, n int, set *byteSet) int {
	for end := min(len(s), i+min(n, len(s))); i < end && set.has(s[i]); i++ {
	}
	return i
}

// fits says whether the value may be a secret of rule r. The value of a rule that is not loose
// goes on to the end of the run.
func (v assigned) fits(r *rule, s string) bool {
	n := v.end - v.start
	if n < r.min || !r.loose && r.max > 0 && n > r.max+lead {
		return false
	}
	if r.id == genericRule && n > genericMax+lead {
		return skip(s, v.start+lead, genericMax, &base64Byte) == v.start+lead+genericMax
	}
	return r.distinct == 0 || n > 256 || v.varied(r, s)
}

// varied says whether the value has as many different bytes as a secret of rule r.
func (v assigned) varied(r *rule, s string) bool {
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
	if r.loose {
		end = v.start + lead + r.max
	}
	return min(len(s), end+2)
}

// genericRule is the rule for any word like "key" or "token", by far the most frequent.
const genericRule = "generic-api-key"

// genericMax is the length above which that rule takes base64 only.
const genericMax = 150
