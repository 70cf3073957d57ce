package patch

import (
	"cmp"
	"slices"
)

// A word is a run of letters and digits, a run of white space, or one other character.
type word struct{ from, to int }

// words returns the words of text, at most limit.
func words(text string, limit int) []word {
	out := make([]word, 0, min(limit, len(text)/4+4))
	for at := 0; at < len(text) && len(out) < limit; {
		class, end := classOf(text[at]), at+1
		for class != other && end < len(text) && classOf(text[end]) == class {
			end++
		}
		out = append(out, word{at, end})
		at = end
	}
	return out
}

type class uint8

const (
	other class = iota
	letters
	blank
)

func classOf(c byte) class {
	switch {
	case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '_', c >= 0x80:
		return letters
	case c == ' ', c == '\t', c == '\r':
		return blank
	}
	return other
}

// weight is how much a word counts: its length; white space counts nothing.
func weight(text string) int {
	if classOf(text[0]) == blank {
		return 0
	}
	return len(text)
}

// printWords is how many words of a line are compared to find out whether it resembles another.
const printWords = 32

// A linePrint has the hashes of a line's words, sorted.
type linePrint struct {
	words []hashed
	total int
}

type hashed struct {
	hash   uint64
	weight int
}

func printsOf(lines []Line) []linePrint {
	out := make([]linePrint, len(lines))
	for i, l := range lines {
		for _, w := range words(l.Text, printWords) {
			text := l.Text[w.from:w.to]
			if n := weight(text); n > 0 {
				out[i].words = append(out[i].words, hashed{hash(text), n})
				out[i].total += n
			}
		}
		slices.SortFunc(out[i].words, func(a, b hashed) int { return cmp.Compare(a.hash, b.hash) })
	}
	return out
}

// hash is FNV-1a of the beginning and the length of text.
func hash(text string) uint64 {
	h := uint64(14695981039346656037) ^ uint64(len(text))
	for i := range min(len(text), 64) {
		h = (h ^ uint64(text[i])) * 1099511628211
	}
	return h
}

// likeness returns how much of two lines is equal, in percent: 100 for lines that differ in white space
// alone.
func (p linePrint) likeness(q linePrint) int {
	if p.total+q.total == 0 {
		return 100
	}
	common := 0
	for i, j := 0, 0; i < len(p.words) && j < len(q.words); {
		switch a, b := p.words[i], q.words[j]; {
		case a.hash < b.hash:
			i++
		case a.hash > b.hash:
			j++
		default:
			common += min(a.weight, b.weight)
			i, j = i+1, j+1
		}
	}
	return 200 * common / (p.total + q.total)
}
