package lineage

import (
	"time"

	"entire/id"
	"entire/internal/attribution"
	"entire/internal/git"
)

// Evidence says how the owner of a line is known.
type Evidence string

// The evidence there is. None, NotEnabled and Unreadable come with the class unknown.
const (
	Recorded    Evidence = "recorded"      // the commit's checkpoint says so, for this very version
	Aligned     Evidence = "aligned"       // the commit's checkpoint says so of a line like it
	Content     Evidence = "content"       // a checkpoint that the commit does not name does
	Moved       Evidence = "moved"         // recorded for the version before the line was moved or re-indented
	Summary     Evidence = "summary"       // the checkpoint knows of the whole commit only
	NoAgentWork Evidence = "no-agent-work" // a commit without a checkpoint, where the tool was enabled
	NotEnabled  Evidence = "not-enabled"   // a commit without a checkpoint, where it was not, or a line from before it was
	Unreadable  Evidence = "unreadable"    // the commit names a checkpoint of another version, which is not read here
	None        Evidence = "none"          // nothing that is known
	Uncommitted Evidence = "uncommitted"   // by the steps since the last commit
)

// Origin is who wrote a line and how that is known.
type Origin struct {
	Owner      attribution.RecordOwner
	Checkpoint id.CheckpointID // zero where there is none
	Evidence   Evidence
}

// Agent reports whether an agent wrote the line.
func (o Origin) Agent() bool { return o.Owner.Class == attribution.ClassAgent }

func unknown(e Evidence) Origin {
	return Origin{Owner: attribution.RecordOwner{Class: attribution.ClassUnknown}, Evidence: e}
}

// Line is a line of a file.
type Line struct {
	Number int // from 1
	Text   string
	Origin

	// Commit brought the line, where it was line CommitLine of CommitPath. For a
	// line that is not committed Commit is zero, and the rest is not known.
	Commit     git.OID
	CommitPath string
	CommitLine int
	Author     string
	Mail       string // without < and >
	Time       time.Time
	Summary    string // the commit's subject
	Unnamed    bool   // the commit is linked to the line's checkpoint without a trailer
}
