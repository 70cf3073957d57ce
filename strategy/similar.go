package strategy

import "bytes"

const (
	// similarShare of the lines of the smaller version must stand in the other
	// for two versions of a new file to be the same work.
	similarShare = 0.3
	// similarMax is the size above which only equal files are related.
	similarMax = 4 << 20
)

// similar compares two versions of a file by the lines that say something.
func similar(a, b []byte) bool {
	if len(a) > similarMax || len(b) > similarMax {
		return bytes.Equal(a, b)
	}
	la, lb := tellingLines(a), tellingLines(b)
	if len(lb) < len(la) {
		la, lb = lb, la
	}
	if len(la) == 0 {
		return bytes.Equal(bytes.TrimSpace(a), bytes.TrimSpace(b))
	}
	shared := 0
	for line := range la {
		if lb[line] {
			shared++
		}
	}
	return float64(shared) >= similarShare*float64(len(la))
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
// versions that base has not: a line that it brought, or, where it brought none,
// the lack of one that it took. White space at the ends of lines does not count;
// binary files and ones beyond similarMax say nothing.
func holdsChange(from, to, base, now []byte) bool {
	for _, text := range [][]byte{from, to, base, now} {
		if len(text) > similarMax || bytes.IndexByte(text, 0) >= 0 {
			return false
		}
	}
	was, is, has, then := countLines(from), countLines(to), countLines(base), countLines(now)
	brought := false
	for line, n := range is {
		if n <= was[line] {
			continue
		}
		brought = true
		if then[line] > has[line] {
			return true
		}
	}
	if brought {
		return false
	}
	for line, n := range was {
		if is[line] < n && then[line] < has[line] {
			return true
		}
	}
	return false
}

// countLines counts each line that is not blank.
func countLines(text []byte) map[string]int {
	n := map[string]int{}
	for line := range bytes.Lines(text) {
		if t := bytes.TrimSpace(line); len(t) > 0 {
			n[string(t)]++
		}
	}
	return n
}
