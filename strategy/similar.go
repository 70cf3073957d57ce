package strategy

import (
	"bytes"
	"maps"
	"slices"
	"strings"
	"unicode"

	"entire/internal/attribution"
)

const (
	// similarShare of the lines of the smaller version must stand in the other
	// for two versions of a new file to be the same work.
	similarShare = 0.3
	// sameShare of them is so much that nobody need ask which lines they are.
	sameShare = 0.7
	// similarMax is the size above which only equal files are related.
	similarMax = 4 << 20
)

// similar compares two versions of a file by the lines that say something.
func similar(a, b []byte) bool { return similarBeside(a, b, nil) }

// similarBeside is similar where some lines are common: what two versions share has to be
// nearly all of the smaller one, or to have a line in it that is known by itself.
func similarBeside(a, b []byte, common commonly) bool {
	if len(a) > similarMax || len(b) > similarMax {
		return bytes.Equal(a, b)
	}
	la, lb := bareLines(a), bareLines(b)
	if len(lb) < len(la) {
		la, lb = lb, la
	}
	if len(la) == 0 {
		return bytes.Equal(bytes.TrimSpace(a), bytes.TrimSpace(b))
	}
	var shared []string
	for bare, line := range la {
		if lb[bare] != "" {
			shared = append(shared, line)
		}
	}
	share := float64(len(shared)) / float64(len(la))
	return share >= sameShare || share >= similarShare && slices.ContainsFunc(shared, func(line string) bool {
		return attribution.Strong([]byte(line)) && !(common != nil && common(line))
	})
}

// knownAgain reports whether a line of one version that nobody else would have
// written stands in the other: the rest may have been written anew around it.
func knownAgain(a, b []byte) bool { return knownAgainBeside(a, b, nil) }

func knownAgainBeside(a, b []byte, common commonly) bool {
	if len(a) > similarMax || len(b) > similarMax || bytes.IndexByte(a, 0) >= 0 || bytes.IndexByte(b, 0) >= 0 {
		return false
	}
	now := tellingLines(b)
	for line := range tellingLines(a) {
		if now[line] && ownWords(line) && !(common != nil && common(line)) {
			return true
		}
	}
	return false
}

// ownWords reports a line with so much in it that two people do not write it: more
// than what stands in every other file, as `if err != nil {` or an interpreter's name.
func ownWords(line string) bool {
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

// bareLines are the telling lines by what a formatter leaves of them.
func bareLines(text []byte) map[string]string {
	lines := map[string]string{}
	for line := range tellingLines(text) {
		lines[bareLine(line)] = line
	}
	return lines
}

// tellingLines are the distinct lines long enough not to be alike by chance.
func tellingLines(text []byte) map[string]bool {
	lines := map[string]bool{}
	for line := range bytes.Lines(text) {
		if t := bytes.TrimSpace(line); len(t) >= 4 {
			lines[string(t)] = true
		}
	}
	return lines
}

// holdsChange reports whether now has something of the change between two
// versions that base has not. A change is told by its lines; if those are the
// same, by what stands next to each other; if that is too, by white space.
func holdsChange(from, to, base, now *lineSet) bool {
	for _, count := range []func(*lineSet) map[string]int{(*lineSet).words, (*lineSet).order, (*lineSet).exact} {
		if f, t := count(from), count(to); !maps.Equal(f, t) {
			return holdsLines(f, t, count(base), count(now)) || takesOut(f, t, base, now)
		}
	}
	return false
}

// takesOut reports a place where now lacks a line of base that the change took, and
// has nothing instead: a part of the change that was committed by itself. Where
// something else stands there somebody has written that.
func takesOut(from, to map[string]int, base, now *lineSet) bool {
	was, at := bytes.SplitAfter(base.text, []byte("\n")), attribution.Align(base.text, now.text)
	end := len(bytes.SplitAfter(now.text, []byte("\n")))
	if len(now.text) == 0 || now.text[len(now.text)-1] == '\n' {
		end-- // of lines, not of line ends
	}
	before, took := -1, false
	for i := 0; i <= len(at); i++ {
		next := end
		if i < len(at) {
			if next = at[i]; next < 0 {
				line := string(bytes.TrimSpace(was[i]))
				took = took || to[line] < from[line] && now.lines[line] < base.lines[line] && says(line)
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

// holdsLines reports whether now has a line that the change brought and base has
// not or, where it brought none, lacks one that it took. Where some of the lines
// were new to the file and have words, only those count: braces stand in every
// change.
func holdsLines(from, to, base, now map[string]int) bool {
	var brought, telling, in, tellingIn bool
	for line, n := range to {
		if n <= from[line] {
			continue
		}
		fresh, is := from[line] == 0 && says(line), now[line] > base[line]
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

// says reports whether a line has more than punctuation.
func says(line string) bool {
	n := 0
	for _, r := range line {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			n++
		}
	}
	return n >= 2
}

// lineSet is a version of a file, by how often each line stands in it.
type lineSet struct {
	text  []byte
	lines map[string]int // white space at their ends aside; blank ones do not count
}

// countLines returns nil for a binary file and one beyond similarMax, which say
// nothing.
func countLines(text []byte) *lineSet {
	if len(text) > similarMax || bytes.IndexByte(text, 0) >= 0 {
		return nil
	}
	c := &lineSet{text, map[string]int{}}
	for line := range bytes.Lines(text) {
		if t := bytes.TrimSpace(line); len(t) > 0 {
			c.lines[string(t)]++
		}
	}
	return c
}

func (c *lineSet) words() map[string]int { return c.lines }

// order counts each line with the one above it.
func (c *lineSet) order() map[string]int {
	pairs, above := map[string]int{}, ""
	for line := range bytes.Lines(c.text) {
		if t := string(bytes.TrimSpace(line)); t != "" {
			pairs[above+"\n"+t]++
			above = t
		}
	}
	return pairs
}

// exact counts lines byte by byte, blank ones too.
func (c *lineSet) exact() map[string]int {
	lines := map[string]int{}
	for line := range bytes.Lines(c.text) {
		lines[string(line)]++
	}
	return lines
}
