package patch

import (
	"slices"
	"unicode/utf8"
)

const (
	maxWords   = 400    // of a line that is compared word by word
	maxMatched = 40_000 // pairs of words that are compared
)

// differences returns the spans of two texts in which they differ. Texts with many words have at most
// one span each: all between their common beginning and their common end.
func differences(old, new string) (inOld, inNew []Span) {
	if old == new {
		return nil, nil
	}
	head := commonHead(old, new)
	tail := commonTail(old[head:], new[head:])
	a, b := old[head:len(old)-tail], new[head:len(new)-tail]
	wa, wb := words(a, maxWords+1), words(b, maxWords+1)
	if len(wa) > maxWords || len(wb) > maxWords || len(wa)*len(wb) > maxMatched {
		return span(head, len(a)), span(head, len(b))
	}
	keptA, keptB := matched(a, b, wa, wb)
	return merged(old, head, wa, keptA), merged(new, head, wb, keptB)
}

// span is one span, or none if it is empty.
func span(from, size int) []Span {
	if size == 0 {
		return nil
	}
	return []Span{{from, from + size}}
}

// commonHead returns the length of the common beginning, at the end of a word.
func commonHead(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	for n > 0 && (inside(a, n) || inside(b, n)) {
		n--
	}
	return n
}

// commonTail returns the length of the common end, at the beginning of a word.
func commonTail(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[len(a)-1-n] == b[len(b)-1-n] {
		n++
	}
	for n > 0 && (inside(a, len(a)-n) || inside(b, len(b)-n)) {
		n--
	}
	return n
}

// inside reports whether a word goes on across the place in text.
func inside(text string, at int) bool {
	if at <= 0 || at >= len(text) {
		return false
	}
	before, after := classOf(text[at-1]), classOf(text[at])
	return before == after && before == letters || !utf8.RuneStart(text[at])
}

// matched reports which words belong to a heaviest common subsequence.
func matched(a, b string, wa, wb []word) (inA, inB []bool) {
	inA, inB = make([]bool, len(wa)), make([]bool, len(wb))
	width := len(wb) + 1
	best := make([]int32, (len(wa)+1)*width)
	value := func(i, j int) int32 {
		text := a[wa[i].from:wa[i].to]
		if text != b[wb[j].from:wb[j].to] {
			return 0
		}
		return int32(2*weight(text) + 1)
	}
	for i := len(wa) - 1; i >= 0; i-- {
		for j := len(wb) - 1; j >= 0; j-- {
			top := max(best[(i+1)*width+j], best[i*width+j+1])
			if v := value(i, j); v > 0 {
				top = max(top, v+best[(i+1)*width+j+1])
			}
			best[i*width+j] = top
		}
	}
	for i, j := 0, 0; i < len(wa) && j < len(wb); {
		switch here := best[i*width+j]; {
		case here == best[(i+1)*width+j]:
			i++
		case here == best[i*width+j+1]:
			j++
		default:
			inA[i], inB[j] = true, true
			i, j = i+1, j+1
		}
	}
	return inA, inB
}

// merged returns the spans of the words that are not kept. White space between two of them joins them.
func merged(text string, offset int, all []word, kept []bool) (out []Span) {
	for i, w := range all {
		if kept[i] {
			continue
		}
		from, to := offset+w.from, offset+w.to
		if last := len(out) - 1; last >= 0 && onlyBlank(text[out[last].To:from]) {
			out[last].To = to
		} else {
			out = append(out, Span{from, to})
		}
	}
	return out
}

func onlyBlank(text string) bool {
	return !slices.ContainsFunc([]byte(text), func(c byte) bool { return classOf(c) != blank })
}
