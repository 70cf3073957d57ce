package store

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"

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
		text, err := os.ReadFile(file)
		if err != nil {
			if !mayBePacked(file, err) {
				return object.OID{}, false
			}
			return r.packedRef(name)
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

// packedRef returns a ref from packed-refs.
func (r *Repo) packedRef(name string) (object.OID, bool) {
	text, err := os.ReadFile(filepath.Join(r.CommonDir, "packed-refs"))
	if err != nil {
		return object.OID{}, false
	}
	for line := range bytes.Lines(text) {
		hex, ref, ok := strings.Cut(strings.TrimRight(string(line), "\r\n"), " ")
		if ok && ref == name {
			oid, err := object.ParseOID(hex)
			return oid, err == nil
		}
	}
	return object.OID{}, false
}
