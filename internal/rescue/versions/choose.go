package versions

import (
	"slices"
	"time"
)

// Present is what the worktree has of a file now.
type Present struct {
	Exists bool
	Hashes []Hash // the file's bytes, and what git makes of them
	Empty  bool
	Listed bool // HEAD or the index has the path
}

func (p Present) is(h Hash) bool { return slices.Contains(p.Hashes, h) }

// Why says why a version was chosen, or why none was.
type Why string

// The reasons.
const (
	Missing   Why = "missing"             // the file is not there
	WentBack  Why = "older content"       // the file has a content that it had before
	Emptied   Why = "emptied"             // the file is empty
	Differs   Why = "differs"             // the file has another content at the chosen time, or was asked for by name
	Same      Why = ""                    // nothing is lost
	Superior  Why = "has newer content"   // the file has a content that nothing else knows: work since
	OnlyParts Why = "only partly known"   // lost, and of the newest version only some lines are known
	Deleted   Why = "removed by a commit" // not lost: a commit removed the file
)

// Choose returns which version of a file is lost, as its index; -1 for none.
//
// That is the newest version that is known whole, if the file is missing, empty, or has a content that it had
// before. A version that a branch has is not lost, unless only the worktree misses the file. Nor is one whose
// content moved says is still in the worktree under another name. If the file has a content that nothing else knows,
// somebody worked on, and nothing is chosen unless named says that a person asked for this file. A snapshot of what the file
// has now proves nothing: it may have been taken after the loss.
func Choose(list []Version, now Present, named bool, moved func(Hash) bool) (int, Why) {
	for len(list) > 0 && list[len(list)-1].showsOnly(now) {
		list = list[:len(list)-1]
	}
	i := lastWhole(list, len(list))
	if i < 0 {
		return partlyKnown(list, now)
	}
	v, last := list[i], list[len(list)-1]
	switch {
	case now.Exists && now.is(v.Content):
		return -1, Same
	case !now.Exists && last.Gone && last.Kept && !named:
		return -1, Deleted
	case !now.Exists && v.unlost() && !now.Listed && !named:
		return -1, Deleted
	case !named && moved(v.Content):
		return -1, Same
	case !now.Exists:
		return i, Missing
	case named:
		return i, Differs
	case v.unlost():
		return -1, Same
	case now.Empty:
		return i, Emptied
	case slices.ContainsFunc(list[:i], func(o Version) bool { return !o.Gone && now.is(o.Content) }):
		return i, WentBack
	}
	return -1, Superior
}

// showsOnly reports whether a version is known only because the worktree has it now.
func (v Version) showsOnly(now Present) bool { return v.Snapshot && now.Exists && now.is(v.Content) }

// unlost reports whether people find the content without help, or only git itself made it.
func (v Version) unlost() bool { return v.Kept || v.Computed }

// lastWhole returns the index of the newest of the first n versions that is known whole.
func lastWhole(list []Version, n int) int {
	for i := n - 1; i >= 0; i-- {
		if !list[i].Gone && list[i].Sure > Partial {
			return i
		}
	}
	return -1
}

// partlyKnown chooses a version of a missing file if only some of its lines are known.
func partlyKnown(list []Version, now Present) (int, Why) {
	for i := len(list) - 1; i >= 0 && !now.Exists; i-- {
		if !list[i].Gone {
			return i, OnlyParts
		}
	}
	return -1, Same
}

// ChooseAt returns the version that the file had at a time; -1 if it was not there, is the same now, or nothing is
// known of it.
func ChooseAt(list []Version, now Present, at time.Time) (int, Why) {
	n := 0
	for n < len(list) && !list[n].At.After(at) {
		n++
	}
	i := lastWhole(list, n)
	switch {
	case n == 0 || list[n-1].Gone:
		return -1, Same
	case i < 0 && !now.Exists:
		return n - 1, OnlyParts
	case i < 0 || now.Exists && now.is(list[i].Content):
		return -1, Same
	case !now.Exists:
		return i, Missing
	}
	return i, Differs
}
