package handoff

import (
	"entire/internal/git"
	"entire/session"
	"entire/strategy/sessionstate"
)

// OrphanKind is the kind of something left over.
type OrphanKind string

// The kinds, as `entire doctor clean --json` prints them.
const (
	OrphanBranch     OrphanKind = "shadow-branch" // that no session refers to
	OrphanState      OrphanKind = "session-state" // of a session without a step or a checkpoint
	OrphanCheckpoint OrphanKind = "checkpoint"    // of the auto-commit strategy, without a commit that links to it
	OrphanAside      OrphanKind = "set-aside"     // steps of a reset, or of a HEAD that moved
	OrphanBacklog    OrphanKind = "backlog"       // parts of the transcript of a session that is gone
	OrphanUndo       OrphanKind = "undo"          // steps that an old rewind or reset replaced
	OrphanTurns      OrphanKind = "turns"         // a day's condensed turns that are kept no longer
	OrphanTeleport   OrphanKind = "teleport"      // a sealed bundle that has expired
	OrphanFile       OrphanKind = "file"          // locks, caches and temporary files
)

// Orphan is one thing that nothing needs any more.
type Orphan struct {
	Kind OrphanKind
	Name string // short branch name, session, checkpoint, full ref, or absolute path
	Why  string

	OID  git.OID // of a ref or a checkpoint when it was listed
	Seen session.Summary
}

// CleanupPlan is what a clean-up would delete. It holds only what is proven to be left over.
type CleanupPlan struct {
	Orphans []Orphan
	Foreign []sessionstate.KeptFile // refs with names like ours, or in our folders, that are left alone, and why
}

func (p *CleanupPlan) Add(o Orphan) { p.Orphans = append(p.Orphans, o) }
