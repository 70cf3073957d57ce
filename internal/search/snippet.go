package search

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// snippetRunes is the approximate length of a snippet.
const snippetRunes = 220

// A marker finds the words of a query in a text.
type marker struct {
	words    *splitter
	phrases  []*Node
	single   map[string]bool // phrases of one word
	prefixes []string        // prefixes of one word
	names    map[string]bool
}

func newMarker(root *Node) *marker {
	m := &marker{words: newSplitter(), single: map[string]bool{}, names: map[string]bool{}}
	if root != nil {
		m.add(root)
	}
	return m
}

func (m *marker) add(n *Node) {
	switch {
	case n.Kind == Not:
		return
	case n.Kind != Phrase:
		for _, sub := range n.Nodes {
			m.add(sub)
		}
		return
	case n.Name != "":
		m.names[n.Name] = true
	}
	m.phrases = append(m.phrases, n)
	for _, w := range n.Words {
		if len(n.Words) == 1 || !n.Quoted && !common()[w] {
			m.single[w] = true
		}
	}
	if len(n.Words) == 1 {
		m.names[n.Words[0]] = true
		if n.Prefix {
			m.prefixes = append(m.prefixes, n.Last)
		}
	}
}

// marks returns the matches in a text, in order.
func (m *marker) marks(text string) []Span {
	type word struct {
		text, raw string
		Span
	}
	var all []word
	m.words.split(text, func(start, end int) {
		all = append(all, word{m.words.word(text[start:end]), text[start:end], Span{start, end}})
	})
	var out []Span
	begin := 0 // start of a name
	for i, w := range all {
		if i > 0 && !joins(text, all[i-1].End, w.Start) {
			begin = i
		}
		last := i+1 == len(all) || !joins(text, w.End, all[i+1].Start)
		if last && begin < i && m.names[m.words.name(text[all[begin].Start:w.End])] {
			out = append(out, Span{all[begin].Start, w.End})
		}
		if m.single[w.text] || slices.ContainsFunc(m.prefixes, func(p string) bool { return strings.HasPrefix(fold(w.raw), p) }) {
			out = append(out, w.Span)
		}
		for _, n := range m.phrases {
			k := len(n.Words)
			if k < 2 || i+k > len(all) {
				continue
			}
			is := true
			for j := 0; is && j < k; j++ {
				is = all[i+j].text == n.Words[j] || n.Prefix && j == k-1 && strings.HasPrefix(fold(all[i+j].raw), n.Last)
			}
			if is {
				out = append(out, Span{w.Start, all[i+k-1].End})
			}
		}
	}
	return flattened(out)
}

// flattened sorts spans and joins those that touch.
func flattened(list []Span) []Span {
	slices.SortFunc(list, func(a, b Span) int { return a.Start - b.Start })
	var out []Span
	for _, s := range list {
		if n := len(out); n > 0 && s.Start <= out[n-1].End {
			out[n-1].End = max(out[n-1].End, s.End)
			continue
		}
		out = append(out, s)
	}
	return out
}

// snippet returns the part of a text with the most matches, on one line, and the spans of the matches
// in it.
func (m *marker) snippet(text string) (string, []Span) {
	marks := m.marks(text)
	from, to := m.window(text, marks)
	var b strings.Builder
	if from > 0 {
		b.WriteString("…")
	}
	var out []Span
	space := from > 0
	next := 0
	for next < len(marks) && marks[next].Start < from {
		next++
	}
	open := -1
	for i := from; i < to; {
		r, size := utf8.DecodeRuneInString(text[i:])
		if open >= 0 && i >= marks[next].End {
			out = append(out, Span{open, b.Len()})
			open = -1
			next++
		}
		if open < 0 && next < len(marks) && i == marks[next].Start {
			open = b.Len()
		}
		switch {
		case unicode.IsSpace(r) || unicode.IsControl(r):
			if !space {
				b.WriteByte(' ')
			}
			space = true
		default:
			b.WriteRune(r)
			space = false
		}
		i += size
	}
	if open >= 0 {
		out = append(out, Span{open, b.Len()})
	}
	snippet := strings.TrimRight(b.String(), " ")
	if to < len(text) {
		snippet += "…"
	}
	return snippet, out
}

// window returns the part of a text to show: the one with the most different matches.
func (m *marker) window(text string, marks []Span) (from, to int) {
	best, bestScore := 0, -1
	for i := range marks {
		seen, score := map[string]bool{}, 0
		for j := i; j < len(marks) && marks[j].End-marks[i].Start <= snippetRunes; j++ {
			word := strings.ToLower(text[marks[j].Start:marks[j].End])
			score++
			if !seen[word] {
				seen[word] = true
				score += 8 + min(len(word), 16)/4
			}
		}
		if score > bestScore {
			best, bestScore = i, score
		}
	}
	if len(marks) == 0 {
		return 0, forward(text, 0, snippetRunes)
	}
	last := best
	for last+1 < len(marks) && marks[last+1].End-marks[best].Start <= snippetRunes {
		last++
	}
	room := max(snippetRunes-(marks[last].End-marks[best].Start), 0)
	from = back(text, marks[best].Start, min(room/2, 60))
	to = max(forward(text, from, snippetRunes), marks[last].End)
	return from, to
}

// back returns a position about n characters before i, at the beginning of a word.
func back(text string, i, n int) int {
	at := i
	for n > 0 && at > 0 {
		_, size := utf8.DecodeLastRuneInString(text[:at])
		at -= size
		n--
	}
	if at == 0 {
		return 0
	}
	if space := strings.IndexAny(text[at:i], " \t\n"); space >= 0 {
		return at + space + 1
	}
	return at
}

// forward returns a position about n characters after i, at the end of a word.
func forward(text string, i, n int) int {
	at := i
	for n > 0 && at < len(text) {
		_, size := utf8.DecodeRuneInString(text[at:])
		at += size
		n--
	}
	if at == len(text) {
		return at
	}
	if space := strings.LastIndexAny(text[i:at], " \t\n"); space > (at-i)/2 {
		return i + space
	}
	return at
}
