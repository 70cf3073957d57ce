package strategy

import (
	"bytes"

	"entire/internal/git"
)

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

// relatedBy reads both versions and compares them; what cannot be read is not
// related.
func relatedBy(blob func(git.OID) ([]byte, error)) related {
	return func(session, committed git.OID) bool {
		a, err := blob(session)
		if err != nil {
			return false
		}
		b, err := blob(committed)
		return err == nil && similar(a, b)
	}
}
