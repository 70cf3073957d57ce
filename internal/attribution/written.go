package attribution

import "bytes"

// Written holds the lines of a record's file that its commit wrote, in order.
type Written struct {
	Prints Prints
	Ranges []*Range // one for each print
	owners []RecordOwner
}

// WrittenLines returns the recorded lines that the commit wrote and did not only move.
func WrittenLines(rec *Record, f *RecordFile) Written {
	out := Written{owners: rec.Owners}
	for i := range f.Ranges {
		g := &f.Ranges[i]
		if g.Moved {
			continue
		}
		out.Prints = append(out.Prints, g.Prints...)
		for range g.Count {
			out.Ranges = append(out.Ranges, g)
		}
	}
	return out
}

// SplitLines splits a text after each newline. Binary text has no lines.
func SplitLines(text []byte) [][]byte {
	if Binary(text) {
		return nil
	}
	out := make([][]byte, 0, bytes.Count(text, []byte{'\n'})+1)
	for line := range bytes.Lines(text) {
		out = append(out, line)
	}
	return out
}
