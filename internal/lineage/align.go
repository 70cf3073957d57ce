package lineage

import (
	"bytes"
	"strconv"
	"strings"

	"entire/internal/attribution"
)

// textPath returns the path that a record stores; a path that JSON cannot hold is stored
// quoted.
func textPath(text string) string {
	if strings.HasPrefix(text, `"`) {
		if p, err := strconv.Unquote(text); err == nil {
			return p
		}
	}
	return text
}

// recordPath is the inverse of textPath.
func recordPath(path string) string {
	if strings.HasPrefix(path, `"`) || !validText(path) {
		return strconv.Quote(path)
	}
	return path
}

func validText(s string) bool { return strings.ToValidUTF8(s, "\xff\xfe") == s }

// recordedLines holds the lines of a record's file that its commit wrote, in order.
type recordedLines struct {
	prints attribution.Prints
	ranges []*attribution.Range // one for each print
}

// writtenLines returns the recorded lines that the commit wrote and did not only move.
func writtenLines(f *attribution.RecordFile) recordedLines {
	var out recordedLines
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

// splitLines splits a text after each newline. Binary text has no lines.
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

// align matches lines without an owner with recorded ones. If the commit names the
// record's checkpoint (linked), it also matches an equal beginning and an equal end, even
// of lines that are not distinctive.
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
