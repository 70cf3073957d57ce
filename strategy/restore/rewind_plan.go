package restore

import (
	"errors"

	"entire/internal/git"
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
