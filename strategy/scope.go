package strategy

import (
	"errors"
	"strings"

	"entire/internal/git"
)

// ErrConflicts is returned by Rewind for a plan with conflicts about which
// nothing was decided. Nothing was written.
var ErrConflicts = errors.New("later changes that are kept touch the same lines of some files")

// ScopeKind says whose work a rewind undoes.
type ScopeKind string

// The kinds of scope.
const (
	ScopeAuto    ScopeKind = "" // ScopeTree, but what another session that is at work now has changed since the point stays
	ScopeTree    ScopeKind = "tree"
	ScopeSession ScopeKind = "session"
	ScopeTurn    ScopeKind = "turn"
)

// ConflictMode says what becomes of a file whose later change is to be kept and
// does not go together with what is undone.
type ConflictMode string

// The modes.
const (
	ConflictsStop    ConflictMode = ""        // the plan is refused
	ConflictsKeep    ConflictMode = "keep"    // the file stays as it is
	ConflictsMarkers ConflictMode = "markers" // both sides are written, between markers
)

// Scope is what of a worktree a rewind goes back with.
type Scope struct {
	Kind      ScopeKind    `json:"kind,omitempty"`
	Session   string       `json:"session,omitempty"`   // ScopeSession and ScopeTurn; "" is the point's, or the newest
	Turn      int          `json:"turn,omitempty"`      // ScopeTurn: the session's n-th, from 1; negative counts from the newest
	KeepMine  bool         `json:"keep_mine,omitempty"` // people's later changes are kept
	Apart     []string     `json:"apart,omitempty"`     // ScopeTree: sessions at work, whose later changes are kept
	Paths     []string     `json:"paths,omitempty"`     // files and folders, relative to the top, with slashes; none is all
	SkipCode  bool         `json:"skip_code,omitempty"` // only the conversation
	SkipTalk  bool         `json:"skip_talk,omitempty"` // only the files
	Conflicts ConflictMode `json:"conflicts,omitempty"`
}

// covers reports whether a path is among the scope's.
func (sc Scope) covers(path string) bool {
	if sc.SkipCode {
		return false
	}
	for _, p := range sc.Paths {
		if p = strings.TrimSuffix(textPath(p), "/"); p == "." || p == "" || p == path || strings.HasPrefix(path, p+"/") {
			return true
		}
	}
	return len(sc.Paths) == 0
}

// whole reports a scope that leaves the worktree as the point had it.
func (sc Scope) whole() bool {
	return (sc.Kind == ScopeTree || sc.Kind == ScopeAuto) && !sc.KeepMine && len(sc.Apart) == 0 && len(sc.Paths) == 0 && !sc.SkipCode
}

// Undone is somebody's later change to a file that a plan undoes.
type Undone struct {
	Who  string `json:"who"`            // "person", "this session", "session <id>", "mixed" or "unknown"
	Step string `json:"step,omitempty"` // the step that has it; "" is what no step has yet
	When string `json:"when,omitempty"` // RFC 3339
}

// PlanConflict is a file on which what is to be undone and what is to be kept do
// not go together. Absent sides have no mode.
type PlanConflict struct {
	Path   string   `json:"path"`
	Base   PlanSide `json:"base"`            // what is undone, as it was made
	Ours   PlanSide `json:"ours"`            // what is there now
	Theirs PlanSide `json:"theirs"`          // as it was before what is undone
	Saved  string   `json:"saved,omitempty"` // the step that has the first of them, on one that has the last
}

// PlanSide is a file in one version.
type PlanSide struct {
	Mode uint32  `json:"mode,omitempty"`
	OID  git.OID `json:"oid,omitzero"`
}
