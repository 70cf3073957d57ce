package files

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"entire/internal/durable"
)

const (
	maxFilePath     = 4096
	maxCheckpointID = 200
)

var errOutside = errors.New("is outside the session's folder")

// manifestPath returns a path that a tool named in the form of a manifest: relative to root, clean,
// with slashes.
func manifestPath(root, name string) (string, error) {
	if name == "" || strings.IndexByte(name, 0) >= 0 {
		return "", errors.New("is no path")
	}
	rel := filepath.Clean(name)
	if filepath.IsAbs(rel) {
		var err error
		if rel, err = relativeTo(root, rel); err != nil {
			return "", err
		}
	}
	if rel == "." {
		return "", errors.New("is the session's folder itself")
	}
	if !filepath.IsLocal(rel) {
		return "", errOutside
	}
	rel = filepath.ToSlash(rel)
	return rel, checkFilePath(rel)
}

// relativeTo makes an absolute path relative to root, or to the folder that root resolves to through
// links.
func relativeTo(root, path string) (string, error) {
	rel, err := filepath.Rel(root, path)
	if err == nil && filepath.IsLocal(rel) {
		return rel, nil
	}
	if real, err := filepath.EvalSymlinks(root); err == nil {
		if rel, err := filepath.Rel(real, path); err == nil && filepath.IsLocal(rel) {
			return rel, nil
		}
	}
	return "", errOutside
}

// storedPath returns a path of a manifest relative to root. Another program writes absolute
// paths; a path that is not clean is refused, not cleaned.
func storedPath(root, path string) (string, error) {
	if filepath.IsAbs(path) {
		if filepath.Clean(path) != path {
			return "", fmt.Errorf("path %q is not clean", clipped(path))
		}
		rel, err := relativeTo(root, path)
		if err != nil {
			return "", fmt.Errorf("path %q %w", clipped(path), err)
		}
		path = filepath.ToSlash(rel)
	}
	return path, checkFilePath(path)
}

// checkFilePath refuses paths that this program never writes to a manifest, on any system.
func checkFilePath(path string) error {
	switch {
	case len(path) > maxFilePath:
		return fmt.Errorf("path %q has %d bytes, at most %d are allowed", clipped(path), len(path), maxFilePath)
	case !utf8.ValidString(path):
		return fmt.Errorf("path %q is not UTF-8", clipped(path))
	case hasDrive(path):
		return fmt.Errorf("path %q begins with a drive letter", clipped(path))
	}
	if err := durable.CheckPath(path); err != nil {
		return err
	}
	if err := durable.PossiblePath(path); err != nil {
		return fmt.Errorf("path %q %w", clipped(path), err)
	}
	if !filepath.IsLocal(filepath.FromSlash(path)) {
		return fmt.Errorf("path %q %w", clipped(path), errOutside)
	}
	return nil
}

// hasDrive reports whether Windows takes a path for an absolute one.
func hasDrive(path string) bool {
	if len(path) < 2 || path[1] != ':' {
		return strings.HasPrefix(path, `\`)
	}
	c := path[0] | 0x20
	return 'a' <= c && c <= 'z' && (len(path) == 2 || path[2] == '/' || path[2] == '\\')
}

// checkCheckpointID refuses IDs that cannot be the name of a folder on every system.
func checkCheckpointID(id string) error {
	if id == "" || len(id) > maxCheckpointID {
		return fmt.Errorf("checkpoint id %q has %d bytes, 1 to %d are allowed", clipped(id), len(id), maxCheckpointID)
	}
	for i := range len(id) {
		c := id[i]
		letter := 'a' <= c|0x20 && c|0x20 <= 'z' || '0' <= c && c <= '9'
		if !letter && (i == 0 || strings.IndexByte("._-#", c) < 0) {
			return fmt.Errorf("checkpoint id %q contains %q at byte %d", clipped(id), id[i:i+1], i)
		}
	}
	if strings.HasSuffix(id, ".") || !filepath.IsLocal(id) {
		return fmt.Errorf("checkpoint id %q is no name of a folder", clipped(id))
	}
	return nil
}
