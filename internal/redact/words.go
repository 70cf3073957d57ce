package redact

// wordIndex finds words of at least three bytes in a text, ignoring case.
type wordIndex struct {
	words []string        // lower case
	first [1 << 15]uint16 // by code of three bytes: 1 + index of the first word that starts with them
	next  []uint16        // 1 + index of the next word with the same code
}

func newWordIndex(words []string) *wordIndex {
	x := &wordIndex{words: words, next: make([]uint16, len(words))}
	for i, w := range words {
		c := code3(w)
		x.next[i] = x.first[c]
		x.first[c] = uint16(i + 1)
	}
	return x
}

// in reports whether s contains one of the words.
func (x *wordIndex) in(s string) bool {
	c := uint32(0)
	for i := range len(s) {
		c = (c<<5 | uint32(codes[s[i]])) & (1<<15 - 1)
		if x.first[c] == 0 || i < 2 {
			continue
		}
		for n := x.first[c]; n != 0; n = x.next[n-1] {
			if hasFold(s[i-2:], x.words[n-1]) {
				return true
			}
		}
	}
	return false
}

func code3(w string) uint32 {
	return uint32(codes[w[0]])<<10 | uint32(codes[w[1]])<<5 | uint32(codes[w[2]])
}

// hasFold reports whether s begins with the lower case word w, ignoring case.
func hasFold(s, w string) bool {
	if len(s) < len(w) {
		return false
	}
	for i := range len(w) {
		if lower(s[i]) != w[i] {
			return false
		}
	}
	return true
}

// codes maps bytes to five bits and ignores the case of letters.
var codes = [256]uint8{
	'a': 1, 'b': 2, 'c': 3, 'd': 4, 'e': 5, 'f': 6, 'g': 7, 'h': 8, 'i': 9, 'j': 10, 'k': 11, 'l': 12, 'm': 13,
	'n': 14, 'o': 15, 'p': 16, 'q': 17, 'r': 18, 's': 19, 't': 20, 'u': 21, 'v': 22, 'w': 23, 'x': 24, 'y': 25, 'z': 26,
	'A': 1, 'B': 2, 'C': 3, 'D': 4, 'E': 5, 'F': 6, 'G': 7, 'H': 8, 'I': 9, 'J': 10, 'K': 11, 'L': 12, 'M': 13,
	'N': 14, 'O': 15, 'P': 16, 'Q': 17, 'R': 18, 'S': 19, 'T': 20, 'U': 21, 'V': 22, 'W': 23, 'X': 24, 'Y': 25, 'Z': 26,
	'0': 27, '1': 27, '2': 27, '3': 27, '4': 27, '5': 27, '6': 27, '7': 27, '8': 27, '9': 27,
	'-': 28, '_': 29, '.': 30, '/': 31, ':': 31, '"': 31, '\'': 31, '<': 31, '=': 31,
}

// lower returns c in lower case.
func lower(c byte) byte {
	if c-'A' < 26 {
		return c | 0x20
	}
	return c
}
