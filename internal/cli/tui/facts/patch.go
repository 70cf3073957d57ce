package facts

import (
	"context"

	"entire/internal/cli/rewindlib"
	"entire/internal/git"
	"entire/internal/patch"
	"entire/strategy/condense"
)

// A Diff is the difference of two trees, to be shown.
type Diff struct {
	Files []patch.File
	Left  []string // files that Files leaves out, because there is too much of it
}

// Diff returns the difference of two trees, of some files or of all.
func (s *Source) Diff(ctx context.Context, from, to git.OID, paths ...string) (Diff, error) {
	p, err := s.tl.Patch(ctx, from, to, paths...)
	if err != nil {
		return Diff{}, err
	}
	files, err := patch.Parse(p.Text)
	return Diff{Files: files, Left: p.Left}, err
}

// Colours returns the pieces of each line of each hunk of a file.
func Colours(f patch.File) [][][]patch.Token { return f.Colour() }

// entryWords says what a rewind of the log did, "" for none.
func entryWords(e *condense.RewindEntry) string {
	if e == nil {
		return ""
	}
	return rewindlib.EntryWords(*e)
}
