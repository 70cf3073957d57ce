package effects

import "slices"

// Effects are the changes that a call may have made to files. The zero value stands for a
// call that changed no file, or only those that its own record names.
type Effects struct {
	Files          []Files
	ImportsContent bool // it may have imported content from git's objects that others wrote before
	Commits        bool // it may have made a commit
	Outlives       bool // it may still run after the call has returned
}

// Files is a pattern for the files that a call may have written.
type Files struct {
	Glob     string `json:"glob"`
	Possible bool   `json:"may,omitempty"`     // possible; otherwise certain
	Removes  bool   `json:"removes,omitempty"` // it removed the files, and wrote no line
}

// anything matches every file.
const anything = "**"

// Unknown returns the effects of a call about which nothing is known.
func Unknown() Effects { return Effects{Files: []Files{{Glob: anything, Possible: true}}} }

// Everything returns the pattern of a call that wrote every file that changed during it.
func Everything() Files { return Files{Glob: anything} }

// maxPatterns bounds the patterns of one call; a call with more of them may have written any
// file.
const maxPatterns = 100

func (e *Effects) add(o Effects) {
	e.ImportsContent, e.Commits, e.Outlives = e.ImportsContent || o.ImportsContent, e.Commits || o.Commits, e.Outlives || o.Outlives
	for _, f := range o.Files {
		switch {
		case slices.Contains(e.Files, f):
		case len(e.Files) < maxPatterns:
			e.Files = append(e.Files, f)
		case len(e.Files) == maxPatterns:
			e.Files = append(e.Files, Files{Glob: anything, Possible: true})
		}
	}
}

// certain returns the effects of a program that writes the files that match globs.
func certain(globs ...string) Effects {
	var e Effects
	for _, g := range globs {
		if g != "" {
			e.Files = append(e.Files, Files{Glob: g})
		}
	}
	return e
}

// possible returns the effects of a program that possibly writes the files that match
// globs.
func possible(globs ...string) Effects {
	e := certain(globs...)
	for i := range e.Files {
		e.Files[i].Possible = true
	}
	return e
}

// with returns the effects of both calls together.
func (e Effects) with(o Effects) Effects {
	e.Files = slices.Clone(e.Files)
	e.add(o)
	return e
}
