package strategy

import (
	"slices"

	"entire/agent"
	"entire/internal/git"
)

// autoState is what auto-commit remembers of a session between two commits.
type autoState struct {
	// Before is the version of each touched file before the session first changed it, by pathText. A
	// file that did not exist has mode 0.
	Before map[string]stood `json:"before,omitempty"`

	// Subject is the next commit's subject, if another program has given one.
	Subject string `json:"subject,omitempty"`

	// Since is where the conversation was when the first turn began whose work waits for a commit or
	// is about to be committed; nil if no work waits.
	Since *agent.Mark `json:"since,omitempty"`

	// Counted is the state's checkpoint count at the last commit.
	Counted int `json:"counted,omitempty"`

	// Held are the touched files that the last commit left out, and why.
	Held []KeptFile `json:"held,omitempty"`

	// Waits is why the last commit was not made at all; Refused is true if git or a hook refused it.
	Waits   string `json:"waits,omitempty"`
	Refused bool   `json:"refused,omitempty"`
}

// stood is the version of a file: its mode and its blob. Mode 0 means that there is no file.
type stood struct {
	Mode uint32  `json:"mode,omitempty"`
	OID  git.OID `json:"oid,omitzero"`
}

func (f stood) none() bool { return f.Mode == 0 }

// plain reports a regular file; only regular files can be merged.
func (f stood) plain() bool { return f.Mode == git.ModeFile || f.Mode == git.ModeExec }

// rememberBefore notes the earlier versions of files that the session changes for the first time
// since they were committed.
func (s *ManualCommitStrategy) rememberBefore(o *open, changed []git.Change, claimed []string) {
	if !s.auto {
		return
	}
	if o.side.Auto.Before == nil {
		o.side.Auto.Before = map[string]stood{}
	}
	for _, c := range changed {
		name := pathText(c.Path)
		if slices.Contains(o.state.FilesTouched, name) || !slices.Contains(claimed, c.Path) {
			continue
		}
		o.side.Auto.Before[name] = stood{c.OldMode, c.Old}
	}
}

// fileTurn is one file that a session has changed, in all its versions.
type fileTurn struct {
	path   string
	head   stood
	index  stood
	before stood // before the session changed it
	known  bool  // before is known
	after  stood // the session's version
}

// commitPlan is how a commit treats one file.
type commitPlan struct {
	commit stood  // the version in the commit
	index  stood  // the version in the user's index afterwards
	same   bool   // nothing to commit
	held   string // why the file is left out, "" if it is not
}

// Why a file waits for the person to commit it.
const (
	heldNew     = "new and not committed when the agent changed it: the file is yours to commit"
	heldRemoved = "you have staged its removal"
	heldStaged  = "you have staged changes to the same lines"
)

// merger merges three blobs; clean is false if it cannot.
type merger func(base, ours, theirs git.OID, favour git.Favour) (merged git.OID, clean bool, err error)

// plan decides which version of the file is committed, and which version the user's index then
// holds. Where a person had changed the file before the session did, only the session's lines are
// committed, with those of the person's lines that the session changed again; the person's other
// lines stay uncommitted. What they had staged of the file stays staged on top of the commit.
// Where the two cannot be separated, the file is left out.
func (f fileTurn) plan(merge merger) (commitPlan, error) {
	p := commitPlan{commit: f.after}
	switch {
	case f.after == f.head:
		p.same = true
		return p, nil
	case !f.known || f.before == f.head || f.before.none() || f.after.none():
	case f.head.none():
		p.held = heldNew
		return p, nil
	case f.head.plain() && f.before.plain() && f.after.plain():
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
func (f fileTurn) ownLines(merge merger) (stood, error) {
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
func (f fileTurn) planIndex(p *commitPlan, merge merger) error {
	switch {
	case f.index == f.after: // all of it is staged already, and stays so
		p.index = f.index
	case f.index == f.head, f.known && f.before.none():
		p.index = p.commit
	case f.index.none():
		p.held = heldRemoved
	case f.head.plain() && f.index.plain() && p.commit.plain():
		oid, clean, err := merge(f.head.OID, f.index.OID, p.commit.OID, git.NoConflicts)
		if !clean {
			p.held = heldStaged
			return err
		}
		p.index = stood{f.index.Mode, oid}
		if f.index.Mode == f.head.Mode {
			p.index.Mode = p.commit.Mode
		}
	default:
		p.held = heldStaged
	}
	return nil
}
