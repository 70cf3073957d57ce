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
	"time"

	"entire/internal/git"
)

// The kinds of keys, which begin folder names.
const (
	rootPrefix   = "g-" // followed by the first commit's object ID
	randomPrefix = "p-" // followed by 32 random hex digits
	pathPrefix   = "h-" // followed by 32 hex digits of a path's hash
)

// Identity identifies a project.
type Identity struct {
	// Key names the project: a lower-case letter, '-', and 8 to 78 of [0-9a-z-].
	Key string
	// Former are the project's earlier keys, latest first. What is stored under them belongs to the
	// project; see [Settle].
	Former []string
	// Top is the project's folder: the top of a worktree, the git directory of a bare repository, or
	// the folder with the key.
	Top string
	// Git says whether Top is in a repository.
	Git bool
}

// Lasting reports whether every clone of the project has the same key. Other keys may be replaced
// later.
func (id Identity) Lasting() bool { return strings.HasPrefix(id.Key, rootPrefix) }

// KeyOfRoot returns the key of the repositories with a first commit, given its object ID.
func KeyOfRoot(commit string) string { return rootPrefix + commit }

// Dir returns the project's folder in a data directory.
func (id Identity) Dir(data string) string { return folder(data, id.Key) }

func folder(data, key string) string { return filepath.Join(data, "projects", key) }

// Key returns the identity of the project that contains dir, which may be any folder. It records a new
// key in the repository or in the folder's .entire/project-id; if neither can be written, the key
// derives from the path. environ is as for [git.Discover].
// It returns an error if git found a repository and refused it, or if dir is not a valid path. It searches
// for the first commit of a repository as long as ctx allows.
func Key(ctx context.Context, dir string, environ []string) (Identity, error) {
	return lookup(ctx, dir, environ, true)
}

// Find returns the same as Key but records nothing. A folder without a key gets the key of its path;
// for a repository without one, the key is computed again.
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
	return inRepo(ctx, repo, record, 0), nil
}

// InRepo returns the same as Key for a repository, but as it is for hooks, it does not search long.
func InRepo(ctx context.Context, repo *git.Repo) Identity { return inRepo(ctx, repo, true, hookLimit) }

func inRepo(ctx context.Context, repo *git.Repo, record bool, limit time.Duration) Identity {
	out := Identity{Top: repo.Top, Git: true}
	if out.Top == "" {
		out.Top = repo.CommonDir
	}
	path := recordOf(repo.CommonDir)
	keys := readKeys(path)
	if keys == nil {
		keys = firstKeys(ctx, repo, out.Top, limit)
		if record {
			keys = recordKeys(ctx, path, keys)
		}
		passing := !strings.HasPrefix(keys[0], rootPrefix) && keys[0] != readMarker(out.Top) // just generated
		if passing && !recorded(path, keys) {
			keys = append([]string{pathKey(repo.CommonDir)}, keys[1:]...)
		}
	}
	out.Key, out.Former = keys[0], keys[1:]
	return out
}

// firstKeys returns the keys of a repository without recorded ones: the key of the first commit, that
// of the folder it was created in, or a new one.
func firstKeys(ctx context.Context, repo *git.Repo, top string, limit time.Duration) []string {
	before := readMarker(top)
	if root := rootKey(ctx, repo, limit); root != "" {
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

// inFolder is lookup outside of repositories.
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

// ValidKey reports whether text may be a project's key.
func ValidKey(key string) bool { return valid(key) }

// valid reports whether a key may be the name of a folder. Other text in a file is never used.
func valid(key string) bool {
	if len(key) < 10 || len(key) > 80 || key[0] < 'a' || key[0] > 'z' || key[1] != '-' {
		return false
	}
	return strings.Trim(key, "0123456789abcdefghijklmnopqrstuvwxyz-") == ""
}
