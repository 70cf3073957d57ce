package lineage

import (
	"time"

	"entire/id"
	"entire/internal/attribution"
	"entire/internal/git"
)

// Evidence is the kind of evidence for the owner of a line.
type Evidence string

// The kinds of evidence. With None, NotEnabled and Unreadable the owner is unknown.
const (
	Recorded    Evidence = "recorded"      // the commit's checkpoint names the owner for exactly this version of the file
	Aligned     Evidence = "aligned"       // the commit's checkpoint names the owner of a matching line
	Content     Evidence = "content"       // a checkpoint that the commit does not name has a matching line
	Moved       Evidence = "moved"         // recorded before the line was moved or reformatted
	Summary     Evidence = "summary"       // the checkpoint describes the commit as a whole, not its lines
	Earlier     Evidence = "earlier"       // a commit of another branch, or an earlier one, wrote the line, and this commit brought it here
	Remembered  Evidence = "remembered"    // a session wrote the line, and no checkpoint records the commit that brought it
	NoAgentWork Evidence = "no-agent-work" // a commit without a checkpoint, made while the tool was enabled
	NotRecorded Evidence = "not-recorded"  // a commit whose checkpoints record all that agents wrote, and not this line; made while the tool was enabled
	NotEnabled  Evidence = "not-enabled"   // a commit without a checkpoint, made while the tool was not enabled, or a line older than that
	Unreadable  Evidence = "unreadable"    // the commit names a checkpoint of another version, which has no line record or is not here
	None        Evidence = "none"          // there is no evidence
	Uncommitted Evidence = "uncommitted"   // from the steps since the last commit
)

// Origin is the owner of a line and the evidence for it.
type Origin struct {
	Owner      attribution.RecordOwner
	Checkpoint id.CheckpointID // zero for none
	Evidence   Evidence
}

// Agent reports whether an agent wrote the line.
func (o Origin) Agent() bool { return o.Owner.Class == attribution.ClassAgent }

func unknown(e Evidence) Origin {
	return Origin{Owner: attribution.RecordOwner{Class: attribution.ClassUnknown}, Evidence: e}
}

// Line is a line of a file with its origin.
type Line struct {
	Number int // from 1
	Text   string
	Origin

	// Commit brought the line, as line CommitLine of CommitPath. For a line that is not
	// committed, Commit is zero and the fields after it are empty.
	Commit         git.OID
	CommitPath     string
	CommitLine     int
	Author         string
	Mail           string // without < and >
	Time           time.Time
	Summary        string // the commit's subject
	WithoutTrailer bool   // the commit is linked to the checkpoint, but has no trailer for it
}
