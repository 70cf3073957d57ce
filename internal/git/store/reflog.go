package store

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"time"

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

// ReflogTail returns the last n bytes of a reflog; nil if there is none. Dir is the GitDir of the worktree whose HEAD it is,
// or CommonDir for a ref that all worktrees share.
func (r *Repo) ReflogTail(ctx context.Context, dir, ref string, n int64) []byte {
	if r.InTables() {
		text := r.reflogInTables(ctx, dir, ref)
		return text[max(0, int64(len(text))-n):]
	}
	f, err := os.Open(reflogFile(dir, ref))
	if err != nil {
		return nil
	}
	defer f.Close()
	fi, err := f.Stat()
	if err != nil {
		return nil
	}
	tail := make([]byte, min(n, fi.Size()))
	if _, err := f.ReadAt(tail, fi.Size()-int64(len(tail))); err != nil {
		return nil
	}
	return tail
}

// ReflogSize returns the size of a reflog in bytes; 0 for none.
func (r *Repo) ReflogSize(ctx context.Context, dir, ref string) int64 {
	if r.InTables() {
		return int64(len(r.reflogInTables(ctx, dir, ref)))
	}
	fi, err := os.Stat(reflogFile(dir, ref))
	if err != nil {
		return 0
	}
	return fi.Size()
}

// ReflogChanged returns when a reflog changed last, or a later time; zero if there is none.
func (r *Repo) ReflogChanged(dir, ref string) time.Time {
	file := reflogFile(dir, ref)
	if r.InTables() {
		file = filepath.Join(dir, tablesList)
	}
	fi, err := os.Stat(file)
	if err != nil {
		return time.Time{}
	}
	return fi.ModTime()
}

func reflogFile(dir, ref string) string { return filepath.Join(dir, "logs", filepath.FromSlash(ref)) }

// Former returns the earlier values of a ref from its reflog, newest first.
func (r *Repo) Former(ctx context.Context, ref string) (out []object.OID) {
	if r.InTables() {
		return r.formerInTables(ctx, ref)
	}
	entries := ParseReflog(r.ReflogTail(ctx, r.CommonDir, ref, object.NativeMax))
	for i := len(entries) - 1; i >= 0; i-- {
		if was := entries[i].Old; !was.IsZero() {
			out = append(out, was)
		}
	}
	return out
}
