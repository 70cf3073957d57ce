package attribution

import (
	"bytes"
	"crypto/sha256"
	"iter"
	"unicode"
	"unicode/utf8"
)

// Print is the first four bytes of the SHA-256 of a line without its white space, so that
// an indented copy of the line has the same print.
type Print uint32

// PrintLines returns the prints of a text's lines. Binary text has no lines.
func PrintLines(text []byte) Prints {
	if Binary(text) {
		return nil
	}
	out := make(Prints, 0, bytes.Count(text, []byte{'\n'})+1)
	var bare []byte
	for line := range bytes.Lines(text) {
		bare = appendForm(bare[:0], line)
		out = append(out, printOf(bare))
	}
	return out
}

// PrintLine returns the print of one line, also of a line with a NUL byte, which a text may have far from its beginning.
func PrintLine(line []byte) Print { return printOf(appendForm(nil, line)) }

// PrintSet returns the prints of a text's lines as a set.
func PrintSet(text []byte) map[Print]bool {
	out := map[Print]bool{}
	for _, p := range PrintLines(text) {
		out[p] = true
	}
	return out
}

// Distinct returns each print once, in the order in which they first appear.
func (p Prints) Distinct() Prints { return Union(p, nil) }

// DistinctivePrints yields the prints of a text's [Distinctive] lines, with the lines' indexes.
func DistinctivePrints(text []byte) iter.Seq2[int, Print] {
	return func(yield func(int, Print) bool) {
		prints := PrintLines(text)
		for i, line := range SplitLines(text) {
			if Distinctive(line) && !yield(i, prints[i]) {
				return
			}
		}
	}
}

// PrintDistinctive is PrintLines for the lines that a commit added; the prints of the others are 0. It reports
// which of them are [Distinctive], and how many [Letters] these have.
func PrintDistinctive(text []byte, lines []Line) (out Prints, strong []bool, letters []int) {
	out, strong, letters = make(Prints, len(lines)), make([]bool, len(lines)), make([]int, len(lines))
	var bare []byte
	i := 0
	for line := range bytes.Lines(text) {
		if i < len(lines) && lines[i].Added {
			bare = appendForm(bare[:0], line)
			if out[i], strong[i] = printOf(bare), Distinctive(line); strong[i] {
				letters[i] = Letters(line)
			}
		}
		i++
	}
	return out, strong, letters
}

// PrintRemoved returns the prints of the lines that a commit removed from a text.
func PrintRemoved(text []byte, removed []Removal) Prints {
	out := make(Prints, 0, len(removed))
	var bare []byte
	i := 0
	for line := range bytes.Lines(text) {
		if len(out) == len(removed) {
			break
		}
		if removed[len(out)].Line == i {
			bare = appendForm(bare[:0], line)
			out = append(out, printOf(bare))
		}
		i++
	}
	return out
}

func printOf(bare []byte) Print {
	sum := sha256.Sum256(bare)
	return Print(sum[0])<<24 | Print(sum[1])<<16 | Print(sum[2])<<8 | Print(sum[3])
}

const (
	// A line with distinctiveRunes characters other than white space, or with distinctiveWords
	// words, is distinctive: an equal line elsewhere is no coincidence.
	distinctiveRunes = 12
	distinctiveWords = 3
)

// Distinctive reports whether a line is distinctive: long enough that an equal line elsewhere
// is the same line.
func Distinctive(line []byte) bool {
	words, runes, inWord := 0, 0, false
	for len(line) > 0 {
		r, n := utf8.DecodeRune(line)
		line = line[n:]
		if unicode.IsSpace(r) {
			inWord = false
			continue
		}
		runes++
		letter := unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_'
		if letter && !inWord {
			words++
		}
		inWord = letter
	}
	return runes >= distinctiveRunes || words >= distinctiveWords && runes >= 2*distinctiveWords
}
