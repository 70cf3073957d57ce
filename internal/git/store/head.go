package store

import (
	"context"
	"path/filepath"
	"strings"

	"entire/internal/durable"
	"entire/internal/git/object"
)

// headLinks bounds how many symbolic refs are followed from HEAD.
const headLinks = 5

// Head returns the commit that HEAD names; ok is false on an unborn branch. It starts a process only where refs are in tables.
func (r *Repo) Head(ctx context.Context) (oid object.OID, ok bool) {
	if !r.InTables() {
		return r.HeadInFiles()
	}
	out, err := r.Run(ctx, "rev-parse", "--quiet", "--verify", "HEAD")
	if err != nil {
		return object.OID{}, false
	}
	oid, err = object.ParseOID(strings.TrimSpace(string(out)))
	return oid, err == nil
}

// HeadInFiles is Head that starts no process. ok is false also if refs are in tables.
func (r *Repo) HeadInFiles() (oid object.OID, ok bool) {
	name, dir := "HEAD", r.GitDir
	for range headLinks {
		file := filepath.Join(dir, filepath.FromSlash(name))
		text, err := durable.Read(file, maxPathFile)
		if err != nil {
			if !mayBePacked(file, err) {
				return object.OID{}, false
			}
			oid, found, ok := r.packedRef(name)
			return oid, found && ok
		}
		line := strings.TrimSpace(string(text))
		target, symbolic := strings.CutPrefix(line, "ref: ")
		if !symbolic {
			oid, err := object.ParseOID(line)
			return oid, err == nil && !oid.IsZero()
		}
		if name, dir = target, r.CommonDir; ValidRef(name) != nil || !strings.HasPrefix(name, "refs/heads/") {
			return object.OID{}, false
		}
	}
	return object.OID{}, false
}
