package review

import (
	"fmt"
	"strconv"
	"strings"
)

// HunkNames lists hunks by their lines; most is the maximum number of hunks.
func HunkNames(hunks []Hunk, most int) string {
	var names []string
	for i, h := range hunks {
		if i == most && len(hunks) > most+1 {
			names = append(names, fmt.Sprintf("… %d more", len(hunks)-i))
			break
		}
		names = append(names, h.Name())
	}
	return strings.Join(names, ", ")
}

// Name returns the hunk's line numbers for a reviewer.
func (h Hunk) Name() string {
	switch {
	case h.Count == 0:
		return fmt.Sprintf("before %d", h.Start)
	case h.Count == 1:
		return strconv.Itoa(h.Start)
	}
	return fmt.Sprintf("%d–%d", h.Start, h.Start+h.Count-1)
}

// Thousands formats a number with commas.
func Thousands(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
