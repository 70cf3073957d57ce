package strategy

import (
	"errors"
	"strings"

	"entire/internal/git"
)

// ErrConflicts is returned by Rewind if the plan has conflicts and [Scope].Conflicts does not
// say how to resolve them. Nothing was written.
var ErrConflicts = errors.New("later changes that are kept touch the same lines of some files")

// ScopeKind says whose work a rewind undoes.
type ScopeKind string

// The kinds of scope.
const (
	ScopeAuto    ScopeKind = "" // ScopeTree, but later changes of other sessions with an open turn are kept
	ScopeTree    ScopeKind = "tree"
	ScopeSession ScopeKind = "session"
	ScopeTurn    ScopeKind = "turn"
)

// ConflictMode says what happens to a file in which a later change that is kept and the change
// that is undone touch the same lines.
type ConflictMode string

// The conflict modes.
const (
	ConflictsStop    ConflictMode = ""        // the plan is refused
	ConflictsKeep    ConflictMode = "keep"    // the file stays as it is
	ConflictsMarkers ConflictMode = "markers" // both sides are written, between markers
)

// Scope says which part of the worktree and the conversation a rewind takes back.
type Scope struct {
	Kind      ScopeKind    `json:"kind,omitempty"`
	Session   string       `json:"session,omitempty"`   // ScopeSession and ScopeTurn; "" is the session of the point, or the newest
	Turn      int          `json:"turn,omitempty"`      // ScopeTurn: the session's turn, from 1; 0 and -1 are the last that changed files
	KeepMine  bool         `json:"keep_mine,omitempty"` // keep later changes made by people
	Apart     []string     `json:"apart,omitempty"`     // ScopeTree: sessions with an open turn, whose later changes are kept
	Paths     []string     `json:"paths,omitempty"`     // files and folders, relative to the top, with slashes; none means all
	SkipCode  bool         `json:"skip_code,omitempty"` // rewind only the conversation
	SkipTalk  bool         `json:"skip_talk,omitempty"` // rewind only the files
	Conflicts ConflictMode `json:"conflicts,omitempty"`
}

// covers reports whether the scope includes path.
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

// whole reports whether the rewind makes the whole worktree equal to the point.
func (sc Scope) whole() bool {
	return (sc.Kind == ScopeTree || sc.Kind == ScopeAuto) && !sc.KeepMine && len(sc.Apart) == 0 && len(sc.Paths) == 0 && !sc.SkipCode
}

// Undone is a later change to a file, by anyone, that a plan undoes.
type Undone struct {
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
