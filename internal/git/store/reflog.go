package store

import (
	"bytes"
	"path/filepath"
	"strings"

	"entire/internal/git/object"
)

// ReflogEntry is one line of a reflog.
type ReflogEntry struct {
	Old, New object.OID // zero if the line has none that can be read
	What     string     // such as "commit (amend): subject"
}

// ParseReflog returns the entries of a reflog, oldest first. The first line may be cut off.
func ParseReflog(reflog []byte) []ReflogEntry {
	var out []ReflogEntry
	for line := range bytes.Lines(reflog) {
		head, what, _ := strings.Cut(string(bytes.TrimRight(line, "\r\n")), "\t")
		e := ReflogEntry{What: what}
		words := strings.Fields(head)
		if len(words) > 0 {
			e.Old, _ = object.ParseOID(words[0])
		}
		if len(words) > 1 {
			e.New, _ = object.ParseOID(words[1])
		}
		out = append(out, e)
	}
	return out
}

// Former returns the earlier values of a ref from its reflog, newest first.
func (r *Repo) Former(ref string) (out []object.OID) {
	data, err := object.ReadBounded(filepath.Join(r.CommonDir, "logs", filepath.FromSlash(ref)), object.NativeMax)
	if err != nil {
		return nil // there is no reflog, or it is not in a file
	}
	entries := ParseReflog(data)
	for i := len(entries) - 1; i >= 0; i-- {
		if was := entries[i].Old; !was.IsZero() {
			out = append(out, was)
		}
	}
	return out
}
