package effects

import "slices"

// Effects are what a call may have done to files. The zero value is a call that has
// changed none, or only those that its own record tells of.
type Effects struct {
	Files   []Files
	Takes   bool // it may have brought what others wrote before, from git's objects
	Commits bool // it may have made a commit
	Stays   bool // it may go on when the call is over
}

// Files is a pattern for files that a call may have written.
type Files struct {
	Glob string `json:"glob"`
	May  bool   `json:"may,omitempty"` // possible only, else certain
}

// anything matches every file.
const anything = "**"

// Unknown are the effects of a call of which nothing is known.
func Unknown() Effects { return Effects{Files: []Files{{anything, true}}} }

// Everything is the pattern of a call that counts for whatever changed beside it.
func Everything() Files { return Files{Glob: anything} }

// most bounds the patterns of one call; a call with more may have written anything.
const most = 100

func (e *Effects) add(o Effects) {
	e.Takes, e.Commits, e.Stays = e.Takes || o.Takes, e.Commits || o.Commits, e.Stays || o.Stays
	for _, f := range o.Files {
		switch {
		case slices.Contains(e.Files, f):
		case len(e.Files) < most:
			e.Files = append(e.Files, f)
		case len(e.Files) == most:
			e.Files = append(e.Files, Files{anything, true})
		}
	}
}

// Open reports effects that may be those of whatever program.
func (e Effects) Open() bool {
	return slices.ContainsFunc(e.Files, func(f Files) bool { return f.Glob == anything })
}

// writes are the effects of a program that writes files of these names.
func writes(globs ...string) Effects {
	var e Effects
	for _, g := range globs {
		if g != "" {
			e.Files = append(e.Files, Files{Glob: g})
		}
	}
	return e
}

// mayWrite are those of a program that perhaps does.
func mayWrite(globs ...string) Effects {
	e := writes(globs...)
	for i := range e.Files {
		e.Files[i].May = true
	}
	return e
}

// and are both.
func (e Effects) and(o Effects) Effects {
	e.Files = slices.Clone(e.Files)
	e.add(o)
	return e
}
