package authorship

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// Representable reports whether a note can name a path. The format has no escapes.
func Representable(path string) bool {
	return path != "" && path != divider && utf8.ValidString(path) && !strings.ContainsAny(path, "\"\n\r\x00")
}

// isHex reports whether s is n hex digits.
func isHex(s string, n int) bool { return len(s) == n && strings.Trim(s, "0123456789abcdef") == "" }

// isKey reports whether an entry can have a key.
func isKey(key string) bool {
	if session, call, both := strings.Cut(key, "::"); both {
		s, isSession := strings.CutPrefix(session, "s_")
		t, isCall := strings.CutPrefix(call, "t_")
		return isSession && isCall && isHex(s, 14) && isHex(t, 14)
	}
	if h, isHuman := strings.CutPrefix(key, "h_"); isHuman {
		return isHex(h, 14)
	}
	return isHex(key, 16) || isHex(key, 7)
}

// Check returns what is wrong with the note, or nil. A note is right if each file is there once, every
// key has a record, the ranges of an entry ascend, and no line of a file is in two ranges or past the
// file's end. The standard asks for no order of files; Encode does, so that the same owners always give
// the same note.
func (n *Note) Check(length Length) error {
	switch m := n.Metadata; {
	case m.Schema != Version:
		return fmt.Errorf("schema_version: %.60q is not %s", m.Schema, Version)
	case !isHex(m.Base, 40) && !isHex(m.Base, 64):
		return fmt.Errorf("base_commit_sha: %.80q is no commit", m.Base)
	case m.Prompts == nil:
		return fmt.Errorf("prompts: missing")
	}
	seen := map[string]bool{}
	for _, f := range n.Files {
		switch {
		case !Representable(f.Path):
			return fmt.Errorf("a note cannot name the path %.120q", f.Path)
		case seen[f.Path]:
			return fmt.Errorf("%.120q is there twice", f.Path)
		case len(f.Entries) == 0:
			return fmt.Errorf("%.120q: no entries", f.Path)
		}
		seen[f.Path] = true
		if err := n.checkFile(f, length); err != nil {
			return err
		}
	}
	return nil
}

// checkOrder returns an error unless the files are in the order of their paths.
func (n *Note) checkOrder() error {
	for i := 1; i < len(n.Files); i++ {
		if n.Files[i].Path <= n.Files[i-1].Path {
			return fmt.Errorf("%.120q does not come after %.120q", n.Files[i].Path, n.Files[i-1].Path)
		}
	}
	return nil
}

func (n *Note) checkFile(f File, length Length) error {
	end := -1
	if length != nil {
		lines, there := length(f.Path)
		if !there {
			return fmt.Errorf("%.120q: the commit has no such file", f.Path)
		}
		end = lines
	}
	var all []Range
	for _, e := range f.Entries {
		if err := n.checkEntry(e, end); err != nil {
			return fmt.Errorf("%.120q: %w", f.Path, err)
		}
		all = append(all, e.Ranges...)
	}
	slices.SortFunc(all, func(a, b Range) int { return cmp.Compare(a.Start, b.Start) })
	for i := 1; i < len(all); i++ {
		if all[i].Start <= all[i-1].End {
			return fmt.Errorf("%.120q: line %d is in two ranges", f.Path, all[i].Start)
		}
	}
	return nil
}

func (n *Note) checkEntry(e Entry, end int) error {
	_, _, known := n.Record(e.Key)
	switch {
	case !isKey(e.Key):
		return fmt.Errorf("%.60q is no key", e.Key)
	case !known:
		return fmt.Errorf("the metadata has no record of %s", e.Key)
	case len(e.Ranges) == 0:
		return fmt.Errorf("%s has no lines", e.Key)
	}
	for i, g := range e.Ranges {
		switch {
		case g.Start < 1 || g.End < g.Start:
			return fmt.Errorf("%s: %d to %d are no lines", e.Key, g.Start, g.End)
		case end >= 0 && g.End > end:
			return fmt.Errorf("%s: line %d is past the file's end, line %d", e.Key, g.End, end)
		case i > 0 && g.Start <= e.Ranges[i-1].End:
			return fmt.Errorf("%s: line %d does not come after line %d", e.Key, g.Start, e.Ranges[i-1].End)
		}
	}
	return nil
}
