package restore

import (
	"entire/internal/git"
)

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
