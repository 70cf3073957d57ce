package lineage

import (
	"strings"

	"entire/internal/git"
)

// ChangedFile is a file that a commit or a range of commits changed. Lists of them are sorted by
// path and leave out .entire.
type ChangedFile struct {
	Path    string
	OldPath string // the path before the range, if that renamed the file
	Skipped bool   // binary, a submodule or too large: its lines are not reported

	Lines, OldLines int           // of the new and of the old version
	Added           []ChangedLine // lines that the new version has and the old one does not have
	Removed         []ChangedLine // lines that the old version has and the new one does not have
}

// ChangedLine is a line that was added or removed. Its origin is who added or removed it.
type ChangedLine struct {
	Number int // from 1, in the version that has the line
	Text   string
	Origin
	Commit git.OID // added or removed the line; zero where that is unknown
	// MovedOnly is true if a range only moved or re-indented the line; origin and commit then
	// need not be set.
	MovedOnly bool
}

// fill adds the lines that differ. Their owners are unknown.
func (f *ChangedFile) fill(was, is [][]byte, added, removed []bool) {
	f.OldLines, f.Lines = len(was), len(is)
	f.Added, f.Removed = linesOf(is, added), linesOf(was, removed)
}

func linesOf(lines [][]byte, differ []bool) (out []ChangedLine) {
	for i, is := range differ {
		if is {
			out = append(out, ChangedLine{Number: i + 1, Text: trimNewline(lines[i]), Origin: unknown(None)})
		}
	}
	return out
}

func trimNewline(line []byte) string { return strings.TrimSuffix(string(line), "\n") }
