package redact

import (
	"math/bits"
	"strings"
)

// Most rules match a name, up to 20 bytes, an operator and a value:
//	[\w.-]{0,50}? NAME [ \t\w.-]{0,20} [\s'"]{0,3} OPERATOR [\x60'"\s=]{0,5} VALUE
// The classes before the operator do not contain its bytes, so a name has only one possible operator,
// and one run of bytes that contains the value.

// assignReach is how far before a name a match may begin, with some margin.
const assignReach = 64

// gapLimit is the most bytes between the end of a name's first part and the operator.
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

// assigned is the run of bytes that contains the value assigned to a name; end is -1 if there is none.
type assigned struct{ start, end int }

// lead is the most bytes of the run before the value: "=" may belong to either.
const lead = 5

// assignedAfter returns what is assigned to the name that ends, or whose first part ends, at i. It
// reuses the end of the run before, because names in one long run share that end and searching for it
// again would take quadratic time.
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

// fits reports whether the value may be a secret of rule r. If the rule is not loose, the value must
// extend to the end of the run.
func (v assigned) fits(r *rule, s string) bool {
	n := v.end - v.start
	if !r.loose && r.max > 0 && n > r.max+lead {
		v = v.beforeSlash(r, s)
		n = v.end - v.start
	}
	if n < r.min || !r.loose && r.max > 0 && n > r.max+lead {
		return false
	}
	if r.id == genericRule && n > genericMax+lead {
		return skip(s, v.start+lead, genericMax, &base64Byte) == v.start+lead+genericMax
	}
	return r.distinct == 0 || n > 256 || v.varied(r, s)
}

// beforeSlash returns the value without the rest of the path that it is a part of. It looks no further than
// a value of rule r may reach.
func (v assigned) beforeSlash(r *rule, s string) assigned {
	if i := strings.IndexByte(s[v.start:min(v.end, v.start+r.max+lead+1)], '/'); i > lead {
		v.end = v.start + i
	}
	return v
}

// varied reports whether the value has at least as many different bytes as a secret of rule r.
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

// reach returns the last position where a match with the value can end.
func (v assigned) reach(r *rule, s string) int {
	end := v.end
	if !r.loose && r.max > 0 && end-v.start > r.max+lead {
		end = v.beforeSlash(r, s).end
	}
	if r.loose {
		end = v.start + lead + r.max
	}
	return min(len(s), end+2)
}

// genericRule is the rule for words like "key" or "token". It is by far the most frequent.
const genericRule = "generic-api-key"

// genericMax is the length above which that rule only accepts base64.
const genericMax = 150
