package object

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"sort"
	"strconv"
	"strings"

	"entire/internal/durable"
)

// PossiblePath returns why no file can have the path, on this or any system; nil if a file
// can.
func PossiblePath(path string) error {
	if err := ValidPath(path); err != nil {
		return err
	}
	return durable.PossiblePath(path)
}

// CutLast splits path at its last slash; nested is false without one.
func CutLast(path string) (dir, base string, nested bool) {
	i := strings.LastIndexByte(path, '/')
	if i < 0 {
		return "", path, false
	}
	return path[:i], path[i+1:], true
}

// The file modes in a git tree.
const (
	ModeTree    uint32 = 0o040000
	ModeFile    uint32 = 0o100644
	ModeExec    uint32 = 0o100755
	ModeSymlink uint32 = 0o120000
	ModeGitlink uint32 = 0o160000
)

// TreeEntry is one name in a tree.
type TreeEntry struct {
	Mode uint32
	Name string
	OID  OID
}

// ParseTree parses a tree object whose IDs are hashLen bytes long (20 or 32).
func ParseTree(data []byte, hashLen int) ([]TreeEntry, error) {
	entries := make([]TreeEntry, 0, len(data)/(hashLen+len("100644 name\x00"))+1)
	names := string(data) // the names share its memory
	err := ScanTree(data, hashLen, func(mode uint32, from, to int, oid []byte) {
		entries = append(entries, TreeEntry{Mode: mode, Name: names[from:to], OID: OIDFromBytes(oid)})
	})
	if err != nil {
		return nil, err
	}
	return entries, nil
}

// ScanTree calls each with the entries of a tree object, in its order; data[from:to] is the name. An entry before a
// damaged one is passed, too.
func ScanTree(data []byte, hashLen int, each func(mode uint32, from, to int, oid []byte)) error {
	for at := 0; at < len(data); {
		space := bytes.IndexByte(data[at:], ' ')
		if space < 0 {
			return errors.New("read tree: entry without a mode")
		}
		mode, ok := octal(data[at : at+space])
		if !ok {
			return fmt.Errorf("read tree: mode %q", Clip(string(data[at:at+space])))
		}
		from := at + space + 1
		length := bytes.IndexByte(data[from:], 0)
		to := from + length
		if at = to + 1 + hashLen; length < 0 || at > len(data) {
			return errors.New("read tree: entry cut short")
		}
		each(mode, from, to, data[to+1:at])
	}
	return nil
}

// octal reads the mode of an entry.
func octal(digits []byte) (mode uint32, ok bool) {
	for _, c := range digits {
		if c < '0' || c > '7' || mode >= 1<<29 {
			return 0, false
		}
		mode = mode<<3 | uint32(c-'0')
	}
	return mode, len(digits) > 0
}

// EncodeTree encodes entries in git's order: folders sort as if their names ended in a
// slash. It returns an error for entries that are no valid tree with HashLen-byte IDs.
func EncodeTree(entries []TreeEntry, hashLen int) ([]byte, error) {
	size := 0
	for i := range entries {
		if err := entries[i].check(hashLen); err != nil {
			return nil, err
		}
		size += len(entries[i].Name) + hashLen + len("100644 \x00")
	}
	if !sort.SliceIsSorted(entries, func(i, j int) bool { return treeLess(entries[i], entries[j]) }) {
		entries = slices.Clone(entries)
		sort.Slice(entries, func(i, j int) bool { return treeLess(entries[i], entries[j]) })
	}
	b := make([]byte, 0, size)
	for i, e := range entries {
		if i > 0 && entries[i-1].Name == e.Name || e.Mode == ModeTree && holdsFile(entries, e.Name) {
			return nil, fmt.Errorf("two entries are called %q", Clip(e.Name))
		}
		b = strconv.AppendUint(b, uint64(e.Mode), 8)
		b = append(b, ' ')
		b = append(b, e.Name...)
		b = append(b, 0)
		b = append(b, e.OID.Bytes()...)
	}
	return b, nil
}

// holdsFile reports whether sorted entries hold a file called name; it need not be next to
// the folder of that name.
func holdsFile(entries []TreeEntry, name string) bool {
	file := TreeEntry{Mode: ModeFile, Name: name}
	i := sort.Search(len(entries), func(i int) bool { return !treeLess(entries[i], file) })
	return i < len(entries) && entries[i].Name == name && entries[i].Mode != ModeTree
}

func (e TreeEntry) check(hashLen int) error {
	switch {
	case e.Name == "" || strings.ContainsAny(e.Name, "/\x00"):
		return fmt.Errorf("entry name %q is not allowed", Clip(e.Name))
	case len(e.OID.Bytes()) != hashLen:
		return fmt.Errorf("entry %q has no object of this repository", Clip(e.Name))
	case e.Mode == 0:
		return fmt.Errorf("entry %q has no mode", Clip(e.Name))
	}
	return nil
}

func treeLess(a, b TreeEntry) bool {
	n := min(len(a.Name), len(b.Name))
	if c := strings.Compare(a.Name[:n], b.Name[:n]); c != 0 {
		return c < 0
	}
	return sortByte(a, n) < sortByte(b, n)
}

// sortByte returns the byte at i of the name as git sorts it.
func sortByte(e TreeEntry, i int) int {
	switch {
	case i < len(e.Name):
		return int(e.Name[i])
	case e.Mode == ModeTree:
		return '/'
	default:
		return -1
	}
}

// ValidPath returns an error for a path that no tree may hold: one with empty, `.` or `..`
// components, a NUL, or any spelling of `.git` that some file system treats as the real
// one.
func ValidPath(path string) error { return durable.CheckPath(path) }
