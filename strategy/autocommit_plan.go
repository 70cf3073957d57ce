package strategy

import (
	"slices"

	"entire/agent"
	"entire/internal/git"
)

// autoState is what auto-commit remembers of a session between two commits.
type autoState struct {
	// Before is how each touched file stood before the session first changed
	// it, by pathText. A file that was not there has mode 0.
	Before map[string]stood `json:"before,omitempty"`

	// Subject is the next commit's, where another program has given one.
	Subject string `json:"subject,omitempty"`

	// Since is where the conversation stood as the first of the turns began whose work
	// waits for a commit, or is about to be committed; nil where none waits.
	Since *agent.Mark `json:"since,omitempty"`

	// Counted is the state's count of checkpoints at the last commit.
	Counted int `json:"counted,omitempty"`

	// Held are the touched files that the last commit left out, and why.
	Held []KeptFile `json:"held,omitempty"`

	// Waits is why the last commit was not made at all; Refused, that git or a
	// hook said no to it.
	Waits   string `json:"waits,omitempty"`
	Refused bool   `json:"refused,omitempty"`
}

// stood is what was at a path.
type stood struct {
	Mode uint32  `json:"mode,omitempty"`
	OID  git.OID `json:"oid,omitzero"`
}

func (f stood) none() bool { return f.Mode == 0 }

// plain reports a regular file, the only thing that can be merged.
func (f stood) plain() bool { return f.Mode == git.ModeFile || f.Mode == git.ModeExec }

// rememberBefore notes how files stood that the session changes for the first
// time since they were committed.
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
	after  stood // as the session left it
}

// commitPlan is what a commit does with it.
type commitPlan struct {
	commit stood  // what the commit has
	index  stood  // what the user's index has after it
	same   bool   // nothing to commit
	held   string // why it is left out, "" if it is not
}

// Why files wait for the person.
const (
	heldNew     = "new and not committed when the agent changed it: the file is yours to commit"
	heldRemoved = "you have staged its removal"
	heldStaged  = "you have staged changes to the same lines"
)

// merger merges text; clean is false if it cannot.
type merger func(base, ours, theirs git.OID, favour git.Favour) (merged git.OID, clean bool, err error)

// plan decides what of a file is committed, and what the user's index holds of
// it then. Where a person had changed the file before the session did, only the
// session's lines are committed, with those of theirs that it changed again;
// their others stay uncommitted. What they had staged of the file stays staged
// on top of the commit. Where that cannot be told apart the file is left out.
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

// ownLines is HEAD's version with what the session changed.
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

func (f fileTurn) planIndex(p *commitPlan, merge merger) error {
	switch {
	case f.index == f.after: // all of it is staged, by whomever: it stays so
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
