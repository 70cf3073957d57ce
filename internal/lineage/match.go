package lineage

import (
	"bytes"
	"strconv"
	"strings"

	"entire/internal/attribution"
)

// textPath reads a path as a record has it: one that JSON cannot hold is quoted.
func textPath(text string) string {
	if strings.HasPrefix(text, `"`) {
		if p, err := strconv.Unquote(text); err == nil {
			return p
		}
	}
	return text
}

// recordPath is the reverse of textPath.
func recordPath(path string) string {
	if strings.HasPrefix(path, `"`) || !validText(path) {
		return strconv.Quote(path)
	}
	return path
}

func validText(s string) bool { return strings.ToValidUTF8(s, "\xff\xfe") == s }

// recorded are the lines of a record's file that its commit wrote, in a row.
type recorded struct {
	prints attribution.Prints
	ranges []*attribution.Range // of each line
}

// written lists the lines of a file that were written, not moved, when they were
// recorded.
func written(f *attribution.RecordFile) recorded {
	var out recorded
	for i := range f.Ranges {
		g := &f.Ranges[i]
		if g.Moved {
			continue
		}
		out.prints = append(out.prints, g.Prints...)
		for range g.Count {
			out.ranges = append(out.ranges, g)
		}
	}
	return out
}

// splitLines splits a text after each newline.
func splitLines(text []byte) [][]byte {
	if attribution.Binary(text) {
		return nil
	}
	out := make([][]byte, 0, bytes.Count(text, []byte{'\n'})+1)
	for line := range bytes.Lines(text) {
		out = append(out, line)
	}
	return out
}

// align finds lines that are still looked for among recorded ones. linked says
// that the commit names the record's checkpoint: then a beginning or an end in
// common is enough for lines that say little by themselves.
func align(was, now attribution.Prints, strong []bool, linked bool) []int32 {
	of := attribution.Match(was, now, strong)
	if !linked {
		return of
	}
	used := map[int32]bool{}
	for _, i := range of {
		if i >= 0 {
			used[i] = true
		}
	}
	lo := 0
	for lo < len(was) && lo < len(now) && was[lo] == now[lo] && (of[lo] == int32(lo) || of[lo] < 0 && !used[int32(lo)]) {
		of[lo], used[int32(lo)] = int32(lo), true
		lo++
	}
	for i, j := len(was)-1, len(now)-1; i >= lo && j >= lo && was[i] == now[j] && (of[j] == int32(i) || of[j] < 0 && !used[int32(i)]); i, j = i-1, j-1 {
		of[j], used[int32(i)] = int32(i), true
	}
	return of
}
