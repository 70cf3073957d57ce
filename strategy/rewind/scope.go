package rewind

import (
	"errors"
	"strings"

	"entire/session"
	"entire/strategy/condense"
	"entire/strategy/sessionstate"
)

// ErrConflicts is returned by Rewind if the plan has conflicts and [condense.Scope].Conflicts does not
// say how to resolve them. Nothing was written.
var ErrConflicts = errors.New("later changes that are kept touch the same lines of some files")

// ErrDamagedState is returned if the state of a session that the rewind needs cannot be read. Nothing was
// written.
var ErrDamagedState = session.ErrDamagedState

// The conflict modes.
const (
	ConflictsStop    condense.ConflictMode = ""        // the plan is refused
	ConflictsKeep    condense.ConflictMode = "keep"    // the file stays as it is
	ConflictsMarkers condense.ConflictMode = "markers" // both sides are written, between markers
)

// covers reports whether the scope includes path.
func covers(sc condense.Scope, path string) bool {
	if sc.SkipCode {
		return false
	}
	for _, p := range sc.Paths {
		if p = strings.TrimSuffix(sessionstate.DecodePath(p), "/"); p == "." || p == "" || p == path || strings.HasPrefix(path, p+"/") {
			return true
		}
	}
	return len(sc.Paths) == 0
}

// isWholeTree reports whether the rewind makes the whole worktree equal to the point.
func isWholeTree(sc condense.Scope) bool {
	return (sc.Kind == condense.ScopeTree || sc.Kind == condense.ScopeAuto) && !sc.KeepMine && len(sc.KeepSessions) == 0 && len(sc.Paths) == 0 && !sc.SkipCode
}
