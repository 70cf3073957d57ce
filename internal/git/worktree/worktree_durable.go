package worktree

import (
	"fmt"
	"hash"
	"os"
	"path/filepath"

	"entire/internal/durable"
	"entire/internal/git/object"
)

// MakeDurable writes the given files through to the disk, with the folders that hold them.
// Links have no content of their own to write.
func MakeDurable(paths []string) error {
	last := ""
	for _, path := range paths {
		fi, err := os.Lstat(path)
		if err != nil {
			return fmt.Errorf("make durable: %w", err)
		}
		if !fi.Mode().IsRegular() {
			continue
		}
		if err := object.Writeback(path); err != nil {
			return fmt.Errorf("make durable: %w", err)
		}
		last = path
	}
	if last == "" {
		return nil
	}
	if err := object.Flush(last); err != nil {
		return fmt.Errorf("make durable: %w", err)
	}
	return syncFoldersOf(paths)
}

func syncFoldersOf(paths []string) error {
	seen := map[string]bool{}
	for _, path := range paths {
		if dir := filepath.Dir(path); !seen[dir] {
			seen[dir] = true
			if err := durable.SyncDir(dir); err != nil {
				return err
			}
		}
	}
	return nil
}

// hasher is a repository: it hashes with the algorithm of its object IDs.
type hasher interface{ NewHash() hash.Hash }

// RawOID returns the object ID of the bytes of the file or link at a path, unfiltered, and the mode that git would
// give it.
func (w *Worktree) RawOID(r hasher, path string) (object.OID, uint32, error) {
	fi, err := w.Lstat(path)
	if err != nil {
		return object.OID{}, 0, err
	}
	f, mode, err := w.Open(path)
	if err != nil {
		return object.OID{}, 0, err
	}
	defer f.Close()
	oid, err := object.HashBlob(r.NewHash(), f, fi.Size())
	return oid, mode, at("read", path, err)
}
