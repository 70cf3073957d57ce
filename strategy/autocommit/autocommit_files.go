package autocommit

import (
	"entire/internal/git"
	"entire/strategy/rewind"
	"entire/strategy/sessionstate"
)

// sessionFile is one file that a session has changed, in all its versions.
type sessionFile struct {
	path        string
	head        sessionstate.FileVersion
	index       sessionstate.FileVersion
	before      sessionstate.FileVersion // before the session changed it
	beforeKnown bool                     // before is known
	after       sessionstate.FileVersion // the session's version
}

// commitPlan is how a commit treats one file.
type commitPlan struct {
	commit sessionstate.FileVersion // the version in the commit
	index  sessionstate.FileVersion // the version in the user's index afterwards
	same   bool                     // nothing to commit
	held   string                   // why the file is left out, "" if it is not
}

// Why a file waits for the person to commit it.
const (
	heldNew     = "new and not committed when the agent changed it: the file is yours to commit"
	heldRemoved = "you have staged its removal"
	HeldStaged  = "you have staged changes to the same lines"
)

// blobMerger merges three blobs; clean is false if it cannot.
type blobMerger func(base, ours, theirs git.OID, favour git.Favour) (merged git.OID, clean bool, err error)

// plan decides which version of the file is committed, and which version the user's index then
// holds. Where a person had changed the file before the session did, only the session's lines are
// committed, with those of the person's lines that the session changed again; the person's other
// lines stay uncommitted. What they had staged of the file stays staged on top of the commit.
// Where the two cannot be separated, the file is left out.
func (f sessionFile) plan(merge blobMerger) (commitPlan, error) {
	p := commitPlan{commit: f.after}
	switch {
	case f.after == f.head:
		p.same = true
		return p, nil
	case !f.beforeKnown || f.before == f.head || rewind.Absent(f.before) || rewind.Absent(f.after):
	case rewind.Absent(f.head):
		p.held = heldNew
		return p, nil
	case rewind.Regular(f.head) && rewind.Regular(f.before) && rewind.Regular(f.after):
		var err error
		if p.commit, err = f.ownLines(merge); err != nil {
			return p, err
		}
	}
	if p.commit == f.head {
		p.same = true
		return p, nil
	}
	err := f.planIndex(&p, merge)
	return p, err
}

// ownLines returns HEAD's version with the session's changes.
func (f sessionFile) ownLines(merge blobMerger) (sessionstate.FileVersion, error) {
	out := f.after
	if f.after.Mode == f.before.Mode {
		out.Mode = f.head.Mode
	}
	oid, clean, err := merge(f.before.OID, f.head.OID, f.after.OID, git.Theirs)
	if clean {
		out.OID = oid
	}
	return out, err
}

// planIndex decides which version of the file the user's index holds after the commit.
func (f sessionFile) planIndex(p *commitPlan, merge blobMerger) error {
	switch {
	case f.index == f.after: // all of it is staged already, and stays so
		p.index = f.index
	case f.index == f.head, f.beforeKnown && rewind.Absent(f.before):
		p.index = p.commit
	case rewind.Absent(f.index):
		p.held = heldRemoved
	case rewind.Regular(f.head) && rewind.Regular(f.index) && rewind.Regular(p.commit):
		oid, clean, err := merge(f.head.OID, f.index.OID, p.commit.OID, git.NoConflicts)
		if !clean {
			p.held = HeldStaged
			return err
		}
		p.index = sessionstate.FileVersion{Mode: f.index.Mode, OID: oid}
		if f.index.Mode == f.head.Mode {
			p.index.Mode = p.commit.Mode
		}
	default:
		p.held = HeldStaged
	}
	return nil
}
