package restore

import (
	"io/fs"

	"entire/strategy/worktree"
)

// isBefore reports whether fi is what the change expects to find.
func (c JournalChange) isBefore(fi fs.FileInfo) bool {
	return worktree.MatchesFootprint(c.OldMode, c.OldFile, fi)
}

// isAfter reports whether fi is what the change leaves.
func (c JournalChange) isAfter(fi fs.FileInfo) bool {
	return worktree.MatchesFootprint(c.NewMode, c.NewFile, fi)
}
