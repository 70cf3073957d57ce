package evidence

import (
	"bytes"
	"cmp"
	"maps"
	"slices"
	"strings"
	"unicode"

	"entire/internal/attribution"
)

const (
	// similarShare is the share of the smaller version's lines that the other version must contain
	// for two versions of a new file to be related.
	similarShare = 0.3
	// sameShare is the share above which it does not matter which lines they are.
	sameShare = 0.7
	// similarMax is the size above which only equal files are related.
	similarMax = 4 << 20
	// reflowedMax bounds the lines of one version times the bytes of the other in which they are looked for where a
	// formatter may have ended the lines elsewhere.
	reflowedMax = 8 << 20
)

// Similar reports whether two versions of a file are related, judged by their significant lines.
func Similar(a, b []byte) bool { return SimilarExcept(a, b, nil) }

// SimilarExcept is similar, except that common lines count less: the versions must share nearly
// all of the smaller one, or a distinctive line that is not common.
func SimilarExcept(a, b []byte, common isCommonLine) bool {
	if len(a) > similarMax || len(b) > similarMax {
		return bytes.Equal(a, b)
	}
	la, lb := normalizedLines(a), normalizedLines(b)
	if len(lb) < len(la) {
		la, lb, a, b = lb, la, b, a
	}
	if len(la) == 0 { // no line is significant
		return bytes.Equal(bytes.TrimSpace(a), bytes.TrimSpace(b)) || isBlockOf(a, b) || len(lb) == 0 && isBlockOf(b, a)
	}
	var shared []string
	for bare, line := range la {
		if lb[bare] != "" {
			shared = append(shared, line)
		}
	}
	related := func() bool {
		share := float64(len(shared)) / float64(len(la))
		return share >= sameShare || share >= similarShare && slices.ContainsFunc(shared, func(line string) bool {
			return attribution.Distinctive([]byte(line)) && !(common != nil && common(line))
		})
	}
	if related() || len(la)*len(b) > reflowedMax {
		return related()
	}
	wholeA, wholeB := attribution.Bare(string(a)), attribution.Bare(string(b))
	for bare, line := range la {
		if lb[bare] == "" && isDistinctive(line) && strings.Contains(wholeB, bare) {
			shared = append(shared, line)
		}
	}
	if len(wholeB) < len(wholeA) {
		wholeA, wholeB, a = wholeB, wholeA, b
	}
	return related() || wholeA == wholeB || isDistinctive(string(a)) && strings.Contains(wholeB, wholeA)
}

// isBlockOf reports whether the lines of a, some of them with words, are neighbours in b.
func isBlockOf(a, b []byte) bool {
	inLines := func(text []byte) string {
		return "\n" + strings.ReplaceAll(string(bytes.TrimSpace(text)), "\r\n", "\n") + "\n"
	}
	return hasWords(string(a)) && strings.Contains(inLines(b), inLines(a))
}

// ShareDistinctiveLine reports whether both versions contain the same distinctive line, which only one
// author would have written. The other lines may be rewritten.
func ShareDistinctiveLine(a, b []byte) bool { return shareDistinctiveLineExcept(a, b, nil) }

func shareDistinctiveLineExcept(a, b []byte, common isCommonLine) bool {
	if len(a) > similarMax || len(b) > similarMax || bytes.IndexByte(a, 0) >= 0 || bytes.IndexByte(b, 0) >= 0 {
		return false
	}
	now := SignificantLines(b)
	for line := range SignificantLines(a) {
		if now[line] && isDistinctive(line) && !(common != nil && common(line)) {
			return true
		}
	}
	return false
}

// isDistinctive reports whether a line is long enough to be distinctive. Lines that occur in many
// files, such as `if err != nil {` or an interpreter's name, are not.
func isDistinctive(line string) bool {
	words, runes := 0, 0
	for word := range strings.FieldsSeq(line) {
		before := runes
		for _, r := range word {
			if unicode.IsLetter(r) || unicode.IsDigit(r) {
				runes++
			}
		}
		if runes > before {
			words++
		}
	}
	return words >= 4 && runes >= 22 || runes >= 32
}

// normalizedLines returns the significant lines by their form without what a formatter changes; of several with one form
// the longest, which has the most words.
func normalizedLines(text []byte) map[string]string {
	lines := map[string]string{}
	for line := range SignificantLines(text) {
		bare := attribution.Bare(line)
		if was := lines[bare]; cmp.Or(len(line)-len(was), strings.Compare(line, was)) > 0 {
			lines[bare] = line
		}
	}
	return lines
}

// SignificantLines returns the distinct lines that are long enough not to be equal by chance.
func SignificantLines(text []byte) map[string]bool {
	lines := map[string]bool{}
	for line := range bytes.Lines(text) {
		if t := bytes.TrimSpace(line); len(t) >= 4 {
			lines[string(t)] = true
		}
	}
	return lines
}

// containsChange reports whether now contains part of the change from one version to the next that
// base does not contain. It compares lines; if the change leaves these equal, pairs of adjacent
// lines; if these are equal too, bytes.
func containsChange(from, to, base, now *lineSet) bool {
	for _, count := range []func(*lineSet) map[string]int{(*lineSet).byText, (*lineSet).byPair, (*lineSet).byBytes} {
		if f, t := count(from), count(to); !maps.Equal(f, t) {
			return containsLineChange(f, t, count(base), count(now)) || removesLines(f, t, base, now)
		}
	}
	return false
}

// removesLines reports whether now lacks a line of base that the change removed and has nothing in
// its place: part of the change was committed alone. If another line is in its place, somebody
// else has written that line.
func removesLines(from, to map[string]int, base, now *lineSet) bool {
	was, at := bytes.SplitAfter(base.text, []byte("\n")), attribution.Align(base.text, now.text)
	end := len(bytes.SplitAfter(now.text, []byte("\n")))
	if len(now.text) == 0 || now.text[len(now.text)-1] == '\n' {
		end-- // the last line ends with a line feed, after which no line follows
	}
	before, took := -1, false
	for i := 0; i <= len(at); i++ {
		next := end
		if i < len(at) {
			if next = at[i]; next < 0 {
				line := attribution.Bare(string(was[i]))
				took = took || to[line] < from[line] && now.lines[line] < base.lines[line] && hasWords(line)
				continue
			}
		}
		if took && next == before+1 {
			return true
		}
		before, took = next, false
	}
	return false
}

// containsLineChange reports whether now contains a line that the change added and base does not contain
// or, if it added none, lacks a line that it removed. If some added lines are new to the file
// and contain words, only these count, because every change adds braces.
func containsLineChange(from, to, base, now map[string]int) bool {
	var brought, telling, in, tellingIn bool
	for line, n := range to {
		if n <= from[line] {
			continue
		}
		fresh, is := from[line] == 0 && hasWords(line), now[line] > base[line]
		brought, telling = true, telling || fresh
		in, tellingIn = in || is, tellingIn || is && fresh
	}
	if brought {
		return tellingIn || in && !telling
	}
	for line, n := range from {
		if to[line] < n && now[line] < base[line] {
			return true
		}
	}
	return false
}

// hasWords reports whether a line contains more than punctuation.
func hasWords(line string) bool {
	n := 0
	for _, r := range line {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			n++
		}
	}
	return n >= 2
}

// lineSet is a version of a file as a count of each of its lines.
type lineSet struct {
	text  []byte
	lines map[string]int    // by bare line; blank lines are not counted
	texts map[string]string // see significant
}

// countLines returns nil for a binary file and for one larger than similarMax.
func countLines(text []byte) *lineSet {
	if len(text) > similarMax || bytes.IndexByte(text, 0) >= 0 {
		return nil
	}
	c := &lineSet{text: text, lines: map[string]int{}}
	for line := range bytes.Lines(text) {
		if t := attribution.Bare(string(line)); t != "" {
			c.lines[t]++
		}
	}
	return c
}

// significant is normalizedLines of the version, made once.
func (c *lineSet) significant() map[string]string {
	if c.texts == nil {
		c.texts = normalizedLines(c.text)
	}
	return c.texts
}

func (c *lineSet) byText() map[string]int { return c.lines }

// byPair counts pairs of a line and the line above it.
func (c *lineSet) byPair() map[string]int {
	pairs, above := map[string]int{}, ""
	for line := range bytes.Lines(c.text) {
		if t := string(bytes.TrimSpace(line)); t != "" {
			pairs[above+"\n"+t]++
			above = t
		}
	}
	return pairs
}

// byBytes counts lines byte by byte, including blank lines.
func (c *lineSet) byBytes() map[string]int {
	lines := map[string]int{}
	for line := range bytes.Lines(c.text) {
		lines[string(line)]++
	}
	return lines
}
