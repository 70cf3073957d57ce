package retention

import (
	"cmp"
	"fmt"
	"slices"
	"time"
)

// A Session describes a stored conversation for a clean-up.
type Session struct {
	Project, ID string
	Begun, Used time.Time // zero if not known
	Files       []File
	Hold        string // why it must be kept, or "" if nothing prevents its removal
}

// A File is a file in a conversation's folder. Files with the same identity are one file under several
// names, as forks share them. A zero Inode is unique.
type File struct {
	Device, Inode uint64
	Bytes         int64
}

// A Removal is a conversation to remove.
type Removal struct {
	Session
	Why   []string // the limits that it exceeds, as text
	Frees int64    // bytes freed after it has left the trash
}

// An Exempt is a conversation beyond a limit that must be kept.
type Exempt struct {
	Session
	Why string
}

// A Plan is the result of applying a policy.
type Plan struct {
	Removals []Removal // longest unused first
	Exempt   []Exempt
	Before   int64 // bytes of all conversations
	After    int64 // bytes of the conversations that stay
}

// Choose applies a policy to all conversations. Size and number are limits for their total.
func Choose(p Policy, now time.Time, all []Session) Plan {
	all = slices.Clone(all)
	slices.SortStableFunc(all, func(a, b Session) int {
		return cmp.Or(used(a).Compare(used(b)), cmp.Compare(a.Project, b.Project), cmp.Compare(a.ID, b.ID))
	})
	d := newDisk(all)
	plan := Plan{Before: d.bytes}
	for i, s := range all {
		var why []string
		if !p.fresh(s, now) {
			why = p.byTime(s, now)
		}
		if over := p.Keep > 0 && len(all)-i > p.Keep; over && !isFresh(s, now) {
			why = append(why, fmt.Sprintf("beyond the last %d", p.Keep))
		}
		if over := p.MaxBytes > 0 && d.bytes > p.MaxBytes; over && len(why) == 0 && !isFresh(s, now) {
			why = append(why, "beyond "+Bytes(p.MaxBytes))
		}
		switch {
		case len(why) == 0:
		case s.Hold != "":
			plan.Exempt = append(plan.Exempt, Exempt{s, s.Hold})
		default:
			plan.Removals = append(plan.Removals, Removal{s, why, d.remove(s)})
		}
	}
	plan.After = d.bytes
	return plan
}

// byTime describes the time limits that a conversation exceeds.
func (p Policy) byTime(s Session, now time.Time) (why []string) {
	if begun := begun(s); p.OlderThan > 0 && !begun.IsZero() && now.Sub(begun) > p.OlderThan {
		why = append(why, "begun "+Days(now.Sub(begun))+" ago")
	}
	if used := used(s); p.Inactive > 0 && !used.IsZero() && now.Sub(used) > p.Inactive {
		why = append(why, "not used for "+Days(now.Sub(used)))
	}
	return why
}

// fresh reports whether a conversation is too young to be removed by a time limit. Only Inactive may
// be shorter than Fresh.
func (p Policy) fresh(s Session, now time.Time) bool {
	if p.Inactive > 0 && p.Inactive < Fresh {
		return now.Sub(used(s)) <= p.Inactive
	}
	return isFresh(s, now)
}

// isFresh reports whether a conversation was used within the time Fresh, in the future, or at an
// unknown time.
func isFresh(s Session, now time.Time) bool {
	return used(s).IsZero() || now.Sub(used(s)) < Fresh
}

// used returns when a conversation was last used.
func used(s Session) time.Time {
	if s.Begun.After(s.Used) {
		return s.Begun
	}
	return s.Used
}

// begun returns when a conversation began.
func begun(s Session) time.Time {
	if s.Begun.IsZero() {
		return s.Used
	}
	return s.Begun
}

// A disk counts the bytes of files that may have several names.
type disk struct {
	names map[[2]uint64]int
	bytes int64
}

func newDisk(all []Session) *disk {
	d := &disk{names: map[[2]uint64]int{}}
	for _, s := range all {
		for _, f := range s.Files {
			if f.Inode == 0 {
				d.bytes += f.Bytes
				continue
			}
			id := [2]uint64{f.Device, f.Inode}
			if d.names[id]++; d.names[id] == 1 {
				d.bytes += f.Bytes
			}
		}
	}
	return d
}

// remove removes a conversation's names and returns the bytes of files without other names.
func (d *disk) remove(s Session) (frees int64) {
	for _, f := range s.Files {
		if f.Inode != 0 {
			id := [2]uint64{f.Device, f.Inode}
			if d.names[id]--; d.names[id] > 0 {
				continue
			}
		}
		frees += f.Bytes
	}
	d.bytes -= frees
	return frees
}
