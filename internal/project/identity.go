package project

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"entire/internal/git"
)

// The kinds of key. They reach the disk, as the first letters of folder names.
const (
	rootPrefix   = "g-" // and the first commit's object ID
	randomPrefix = "p-" // and 32 random hex digits
	pathPrefix   = "h-" // and 32 hex digits of a path's hash
)

// Identity is who a project is.
type Identity struct {
	// Key names the project: a lower-case letter, '-', and 8 to 78 of [0-9a-z-].
	Key string
	// Former are the keys it had before, the latest first. What is stored under
	// them belongs to it; see [Settle].
	Former []string
	// Top is the folder that the project is in: a worktree's top, the git
	// directory of a bare repository, or the folder that holds the key.
	Top string
	// Git says that Top is in a repository.
	Git bool
}

// Lasting reports whether every clone of the project has the same key. Any other
// key may be followed by one.
func (id Identity) Lasting() bool { return strings.HasPrefix(id.Key, rootPrefix) }

// Dir is the project's folder in a data directory.
func (id Identity) Dir(data string) string { return folder(data, id.Key) }

func folder(data, key string) string { return filepath.Join(data, "projects", key) }

// Key returns the identity of the project that dir, a path of whatever folder,
// is in, and records it where it is not recorded yet: in the repository, or in
// the folder's .entire/project-id. Where neither can be written it is made of
// the path. environ is as for [git.Discover].
//
// An error means that git found a repository and refused it, or that dir is no
// path.
func Key(ctx context.Context, dir string, environ []string) (Identity, error) {
	return lookup(ctx, dir, environ, true)
}

// Find is Key without recording anything: a folder without a key has that of
// its path, a repository without one is looked at anew.
func Find(ctx context.Context, dir string, environ []string) (Identity, error) {
	return lookup(ctx, dir, environ, false)
}

func lookup(ctx context.Context, dir string, environ []string, record bool) (Identity, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return Identity{}, fmt.Errorf("identify project: %w", err)
	}
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	if top, common := repositoryAt(dir, environ); common != "" {
		if keys := readKeys(recordOf(common)); keys != nil {
			return Identity{Key: keys[0], Former: keys[1:], Top: top, Git: true}, nil
		}
	}
	repo, err := git.Discover(ctx, dir, environ)
	if errors.Is(err, git.ErrNotRepository) {
		return inFolder(ctx, dir, record), nil
	}
	if err != nil {
		return Identity{}, fmt.Errorf("identify project: %w", err)
	}
	defer repo.Close()
	return inRepo(ctx, repo, record), nil
}

// InRepo is Key for a repository that was found already.
func InRepo(ctx context.Context, repo *git.Repo) Identity { return inRepo(ctx, repo, true) }

func inRepo(ctx context.Context, repo *git.Repo, record bool) Identity {
	out := Identity{Top: repo.Top, Git: true}
	if out.Top == "" {
		out.Top = repo.CommonDir
	}
	path := recordOf(repo.CommonDir)
	keys := readKeys(path)
	if keys == nil {
		keys = firstKeys(ctx, repo, out.Top)
		if record {
			keys = recordKeys(ctx, path, keys)
		}
		passing := !strings.HasPrefix(keys[0], rootPrefix) && keys[0] != readMarker(out.Top) // made up just now
		if passing && !recorded(path, keys) {
			keys = append([]string{pathKey(repo.CommonDir)}, keys[1:]...)
		}
	}
	out.Key, out.Former = keys[0], keys[1:]
	return out
}

// firstKeys are those of a repository that has none: its first commit's, or
// that of the folder it was made in, or a new one.
func firstKeys(ctx context.Context, repo *git.Repo, top string) []string {
	before := readMarker(top)
	if root := rootKey(ctx, repo, hookLimit); root != "" {
		if before != "" {
			return []string{root, before}
		}
		return []string{root}
	}
	if before != "" {
		return []string{before}
	}
	return []string{randomKey()}
}

// inFolder is lookup where there is no repository.
func inFolder(ctx context.Context, dir string, record bool) Identity {
	top := markedFolder(dir)
	if key := readMarker(top); key != "" {
		return Identity{Key: key, Former: []string{pathKey(top)}, Top: top}
	}
	if record {
		path := markerOf(top)
		if keys := recordKeys(ctx, path, []string{randomKey()}); recorded(path, keys) {
			return Identity{Key: keys[0], Former: []string{pathKey(top)}, Top: top}
		}
	}
	return Identity{Key: pathKey(top), Top: top}
}

func randomKey() string {
	var b [16]byte
	rand.Read(b[:]) // never fails
	return randomPrefix + hex.EncodeToString(b[:])
}

func pathKey(path string) string {
	sum := sha256.Sum256([]byte(path))
	return pathPrefix + hex.EncodeToString(sum[:16])
}

// ValidKey reports whether a text may be a project's key, and so the name of a
// folder.
func ValidKey(key string) bool { return valid(key) }

// valid reports whether a key may be the name of a folder: nothing else is ever
// taken from a file.
func valid(key string) bool {
	if len(key) < 10 || len(key) > 80 || key[0] < 'a' || key[0] > 'z' || key[1] != '-' {
		return false
	}
	return strings.Trim(key, "0123456789abcdefghijklmnopqrstuvwxyz-") == ""
}
