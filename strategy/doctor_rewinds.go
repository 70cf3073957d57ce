package strategy

import (
	"context"
	"os"
	"path/filepath"
)

// examineRewindLog finds a log of rewinds that cannot be read, which keeps new ones
// from being made. Its steps have refs of their own.
func (s *ManualCommitStrategy) examineRewindLog() []Finding {
	_, err := s.readRewindLog()
	if err == nil {
		return nil
	}
	aside := s.rewindLogPath() + ".unreadable"
	return []Finding{{Kind: "not-readable", Subject: "log of rewinds", Why: err.Error(),
		Hint: "`git for-each-ref refs/entire/undo` lists the steps it speaks of, for `entire rewind --to`",
		Fix:  "move it aside, as " + filepath.Base(aside), Mend: func(context.Context) (string, error) {
			return "moved to " + aside, os.Rename(s.rewindLogPath(), aside)
		}}}
}
