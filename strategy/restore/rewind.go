package restore

import (
	"entire/strategy/sessionstate"
)

// RewindOutcome is what a rewind did.
type RewindOutcome struct {
	Written       []string
	Removed       []string
	Kept          []sessionstate.KeptFile // paths left alone, and why
	SafetyID      string                  // the step that holds the worktree from before the rewind
	SessionID     string
	EntryID       string   // of the log
	Replaced      []string // files whose later changes by a person were replaced
	ResumeCommand string
	Warnings      []string
}
