package attribution

import (
	"bytes"
	"unicode"
)

const (
	// rewrappedMax bounds the lines that a formatter made of one, or made one of, and rewrappedPairs the pairs of lines
	// of a gap that are compared.
	rewrappedMax   = 50
	rewrappedPairs = 1 << 20
)

// findRewrapped pairs lines that a formatter ended elsewhere: lines of a gap that have together the same words as lines
// of the older version. Each is paired with the line in which it began.
func (c *change) findRewrapped(r *Workspace, a, b []int32) {
	var w rewrap
	c.gaps(len(a), func(i, ahi, j, bhi int) {
		if ahi == i || bhi == j || ahi-i+bhi-j < 3 || (ahi-i)*(bhi-j) > rewrappedPairs {
			return
		}
		if w.moved == nil {
			w = rewrap{keys: r.lineTable.forms.keys, a: a, b: b, moved: r.boolSlab.take(len(a)), to: c.moved}
			for _, from := range c.moved {
				if from >= 0 {
					w.moved[from] = true
				}
			}
		}
		w.pair(i, ahi, j, bhi)
	})
}

// pair pairs the lines of a gap. Lines that follow one another in b begin in lines that do so in a.
func (w *rewrap) pair(i, ahi, j, bhi int) {
	for ; j < bhi; j++ {
		for k := i; k < ahi; k++ {
			from, read := w.match(k, ahi, j, bhi)
			if read == 0 {
				continue
			}
			for n, at := range from {
				w.to[j+n] = int32(at)
			}
			i, j = k+read, j+len(from)-1
			break
		}
	}
}

// rewrap compares lines by their forms, across the ends of lines.
type rewrap struct {
	keys  [][]byte
	a, b  []int32   // forms
	moved []bool    // the lines of a that are paired already
	to    alignment // the lines of b that are, if not negative
	from  []int
}

// match returns for the lines of b from j on in which lines of a begins each of them, if they have the same words as the
// lines of a from i on, of which it returns the number, and end elsewhere. It takes as many lines as it can. Brackets at the
// end count for nothing: they may be paired with others.
func (w *rewrap) match(i, ahi, j, bhi int) (from []int, read int) {
	var x, y []byte // what is left of the present line of each
	first, letters, is := i, 0, 0
	var elsewhere, bracket bool // a line ended elsewhere: with words, or only with brackets, after it
	w.from = w.from[:0]
	ahi, bhi = min(ahi, i+rewrappedMax), min(bhi, j+rewrappedMax)
	for {
		var n int
		if x, y, n = afterSame(x, y); len(x) > 0 && len(y) > 0 {
			break
		}
		letters += n
		ends := !hasLetters(x) && !hasLetters(y)
		both := len(x) == 0 && len(y) == 0
		if letters > 1 && (elsewhere && ends || bracket && both) {
			is, read = len(w.from), i-first
		}
		elsewhere, bracket = elsewhere || !ends, bracket || !both
		if len(x) == 0 {
			if i == ahi || w.moved[i] {
				break
			}
			x = w.keys[w.a[i]]
			i++
		}
		if len(y) == 0 {
			if j == bhi || w.to[j] >= 0 {
				break
			}
			y = w.keys[w.b[j]]
			w.from = append(w.from, i-1)
			j++
		}
		if len(x) == 0 || len(y) == 0 {
			break
		}
	}
	return w.from[:is], read
}

// afterSame returns what is left of two texts after the beginning that both have but for commas and semicolons, and how
// many letters and digits that has.
func afterSame(x, y []byte) (restX, restY []byte, letters int) {
	for {
		x, y = bytes.TrimLeft(x, ",;"), bytes.TrimLeft(y, ",;")
		n := 0
		for n < len(x) && n < len(y) && x[n] == y[n] && x[n] != ',' && x[n] != ';' {
			n++
		}
		letters += Letters(x[:n])
		if x, y = x[n:], y[n:]; n == 0 {
			return x, y, letters
		}
	}
}

func hasLetters(text []byte) bool {
	return bytes.ContainsFunc(text, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) })
}
