package git

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
)

// headLinks bounds how many symbolic refs HEAD is followed through.
const headLinks = 5

// Head returns the commit that HEAD names, read from the files of the ref
// store: no process is started. ok is false on an unborn branch, and where the
// refs are kept in another way.
func (r *Repo) Head() (oid OID, ok bool) {
	name, dir := "HEAD", r.GitDir
	for range headLinks {
		text, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name)))
		if err != nil {
			return r.packedRef(name)
		}
		line := strings.TrimSpace(string(text))
		target, symbolic := strings.CutPrefix(line, "ref: ")
		if !symbolic {
			oid, err := ParseOID(line)
			return oid, err == nil && !oid.IsZero()
		}
		if name, dir = target, r.CommonDir; validRef(name) != nil || !strings.HasPrefix(name, "refs/heads/") {
			return OID{}, false
		}
	}
	return OID{}, false
}

// packedRef looks a ref up among the packed ones.
func (r *Repo) packedRef(name string) (OID, bool) {
	text, err := os.ReadFile(filepath.Join(r.CommonDir, "packed-refs"))
	if err != nil {
		return OID{}, false
	}
	for line := range bytes.Lines(text) {
		hex, ref, ok := strings.Cut(strings.TrimRight(string(line), "\r\n"), " ")
		if ok && ref == name {
			oid, err := ParseOID(hex)
			return oid, err == nil
		}
	}
	return OID{}, false
}
