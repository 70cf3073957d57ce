package git

import (
	"bytes"
	"fmt"
	"sort"
	"strconv"
	"strings"
)

// The file modes a git tree can hold.
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

// ParseTree reads a tree object whose IDs are hashLen bytes long (20 or 32).
func ParseTree(data []byte, hashLen int) ([]TreeEntry, error) {
	var entries []TreeEntry
	for len(data) > 0 {
		sp := bytes.IndexByte(data, ' ')
		if sp < 0 {
			return nil, fmt.Errorf("read tree: entry without a mode")
		}
		mode, err := strconv.ParseUint(string(data[:sp]), 8, 32)
		if err != nil {
			return nil, fmt.Errorf("read tree: mode %q", clip(string(data[:sp])))
		}
		data = data[sp+1:]
		nul := bytes.IndexByte(data, 0)
		if nul < 0 || len(data) < nul+1+hashLen {
			return nil, fmt.Errorf("read tree: entry cut short")
		}
		entries = append(entries, TreeEntry{Mode: uint32(mode), Name: string(data[:nul]), OID: oidFromBytes(data[nul+1 : nul+1+hashLen])})
		data = data[nul+1+hashLen:]
	}
	return entries, nil
}

// encodeTree writes entries in git's order: folders sort as if they ended in a
// slash.
func encodeTree(entries []TreeEntry) []byte {
	sorted := append([]TreeEntry(nil), entries...)
	sort.Slice(sorted, func(i, j int) bool { return treeLess(sorted[i], sorted[j]) })
	var b bytes.Buffer
	for _, e := range sorted {
		fmt.Fprintf(&b, "%o %s\x00", e.Mode, e.Name)
		b.Write(e.OID.Bytes())
	}
	return b.Bytes()
}

func treeLess(a, b TreeEntry) bool {
	n := min(len(a.Name), len(b.Name))
	if c := strings.Compare(a.Name[:n], b.Name[:n]); c != 0 {
		return c < 0
	}
	return sortByte(a, n) < sortByte(b, n)
}

// sortByte is the byte at i of the name as git sorts it.
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

// ValidPath refuses what must never be a path in a tree of ours: empty, `.` and
// `..` components, a NUL, and every spelling of `.git` that some file system
// takes for the real one.
func ValidPath(path string) error {
	if path == "" || strings.IndexByte(path, 0) >= 0 {
		return fmt.Errorf("path %q is empty or holds a NUL", clip(path))
	}
	for _, name := range strings.Split(path, "/") {
		if name == "" || name == "." || name == ".." || isDotGit(name) {
			return fmt.Errorf("path %q: component %q is not allowed", clip(path), clip(name))
		}
	}
	return nil
}

// isDotGit reports names that HFS+ or NTFS fold to `.git`.
func isDotGit(name string) bool {
	plain := strings.Map(func(r rune) rune {
		if r >= 0x200c && r <= 0x200f || r >= 0x202a && r <= 0x202e || r >= 0x206a && r <= 0x206f || r == 0xfeff {
			return -1
		}
		return r
	}, name)
	if i := strings.IndexByte(plain, ':'); i >= 0 {
		plain = plain[:i]
	}
	plain = strings.ToLower(strings.TrimRight(plain, ". "))
	return plain == ".git" || plain == "git~1"
}
