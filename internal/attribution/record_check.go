package attribution

import (
	"errors"
	"fmt"
)

// recordLines bounds the lines of a file in a valid record.
const recordLines = 1 << 24

// Check returns an error for a record that contradicts itself: with missing owners, with
// ranges that overlap, are out of order or exceed the file, with a number of prints that
// differs from the number of lines, or with files twice or out of order.
func (r *Record) Check() error {
	if r.Version != recordVersion {
		return fmt.Errorf("version %d is not %d", r.Version, recordVersion)
	}
	if r.Parent != "" && !IsObjectID(r.Parent) || r.Time < 0 {
		return fmt.Errorf("parent %q, time %d", r.Parent, r.Time)
	}
	for i, o := range r.Owners {
		if err := o.check(); err != nil {
			return fmt.Errorf("owner %d: %w", i, err)
		}
	}
	for i := range r.Files {
		f := &r.Files[i]
		if f.Path == "" {
			return fmt.Errorf("file %d has no path", i)
		}
		if i > 0 && r.Files[i-1].Path >= f.Path {
			return fmt.Errorf("file %q is not after %q", f.Path, r.Files[i-1].Path)
		}
		if err := f.check(len(r.Owners)); err != nil {
			return fmt.Errorf("file %q: %w", f.Path, err)
		}
	}
	return nil
}

func (o RecordOwner) check() error {
	switch {
	case o.Class != ClassAgent && o.Class != ClassHuman && o.Class != ClassUnknown:
		return fmt.Errorf("class %q", o.Class)
	case o.Class == ClassAgent && o.SessionID == "":
		return errors.New("an agent without a session")
	case o.Class != ClassAgent && o != RecordOwner{Class: o.Class}:
		return fmt.Errorf("an owner of class %q with a session or a call", o.Class)
	case o.Turn < 0:
		return fmt.Errorf("turn %d", o.Turn)
	}
	return nil
}

func (f *RecordFile) check(owners int) error {
	if f.Lines < 0 || f.Lines > recordLines || f.Blob != "" && !IsObjectID(f.Blob) || f.Blob == "" && f.Lines > 0 {
		return fmt.Errorf("%d lines of blob %q", f.Lines, f.Blob)
	}
	next := 1
	for _, g := range f.Ranges {
		switch {
		case g.Start < next:
			return fmt.Errorf("range at line %d overlaps or is out of order", g.Start)
		case g.Count < 1 || g.Count > f.Lines || g.Start > f.Lines-g.Count+1:
			return fmt.Errorf("range of %d lines at %d in a file of %d", g.Count, g.Start, f.Lines)
		case g.Owner < 0 || g.Owner >= owners:
			return fmt.Errorf("range at line %d has owner %d of %d", g.Start, g.Owner, owners)
		case len(g.Prints) != g.Count:
			return fmt.Errorf("range at line %d has %d prints for %d lines", g.Start, len(g.Prints), g.Count)
		}
		next = g.Start + g.Count
	}
	next = 1
	for _, g := range f.Removed {
		switch {
		case g.Line < next || g.Count < 1 || g.Count > recordLines || g.Line > recordLines:
			return fmt.Errorf("%d removed lines at %d overlap or are out of order", g.Count, g.Line)
		case g.Owner < 0 || g.Owner >= owners:
			return fmt.Errorf("removed line %d has owner %d of %d", g.Line, g.Owner, owners)
		}
		next = g.Line + g.Count
	}
	return nil
}

// IsObjectID reports whether a text is the ID of an object of git's, in lowercase.
func IsObjectID(s string) bool {
	if len(s) != 40 && len(s) != 64 {
		return false
	}
	for _, c := range s {
		if (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}
