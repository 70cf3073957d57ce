package restore

import (
	"errors"

	"entire/internal/git"
	"entire/strategy/sessionstate"
)

var (
	// ErrLogsOnly is returned for a point that has a conversation but no files.
	ErrLogsOnly = errors.New("this point has no files to go back to, only the conversation")

	// ErrWorktreeMoved is returned when files changed between the plan and the rewind. Nothing was
	// written.
	ErrWorktreeMoved = errors.New("files changed since the plan was made")

	// ErrBaseMoved is returned when a step was made on another commit and HEAD changed one of its
	// files differently.
	ErrBaseMoved = errors.New("the step was made on another commit")

	// ErrBaseGone is returned when the commit that a step was made on is no longer in the
	// repository, so that the step's changes are unknown.
	ErrBaseGone = errors.New("the commit that the step was made on is gone")
)

// PlanAction is what a rewind does to one path.
type PlanAction string

// The actions of a plan.
const (
	PlanCreate PlanAction = "create"
	PlanWrite  PlanAction = "write"
	PlanMode   PlanAction = "mode"
	PlanRemove PlanAction = "remove"
)

// PlannedChange is one path that a rewind will change. Insertions and Deletions count lines; they
// are -1 for a binary or large file.
type PlannedChange struct {
	Path       string         `json:"path"`
	Action     PlanAction     `json:"action"`
	Insertions int            `json:"insertions"`
	Deletions  int            `json:"deletions"`
	Undoes     []UndoneChange `json:"undoes,omitempty"` // whose later changes the rewind undoes, oldest first
	Merged     bool           `json:"merged,omitempty"` // the new version keeps later changes of others

	Change git.Change `json:"-"` // from the present to the planned version
}

// ActionOf returns what a rewind does to a file to make a change.
func ActionOf(c git.Change) PlanAction {
	switch {
	case c.NewMode == 0:
		return PlanRemove
	case c.OldMode == 0:
		return PlanCreate
	case c.Old == c.New:
		return PlanMode
	}
	return PlanWrite
}

// UndoneChange is a later change to a file, by anyone, that a plan undoes.
type UndoneChange struct {
	Who  string `json:"who"`            // "person", "this session", "session <id>", "mixed" or "unknown"
	Step string `json:"step,omitempty"` // the step that holds the change; "" if no step holds it yet
	When string `json:"when,omitempty"` // RFC 3339
}

// PlanConflict is a file in which the change that is undone and the changes that are kept touch
// the same lines. A side without a file has mode 0.
type PlanConflict struct {
	Path   string   `json:"path"`
	Base   PlanSide `json:"base"`            // the file after the change that is undone
	Ours   PlanSide `json:"ours"`            // the file now
	Theirs PlanSide `json:"theirs"`          // the file before the change that is undone
	Saved  string   `json:"saved,omitempty"` // the step that holds Base; its parent holds Theirs
}

// PlanSide is one version of a file.
type PlanSide struct {
	Mode uint32  `json:"mode,omitempty"`
	OID  git.OID `json:"oid,omitzero"`
}

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
