package worktree

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"

	"entire/checkpoint/shadow"
	"entire/internal/git"
	"entire/strategy/sessionstate"
)

// IsRegular reports whether git's mode is that of a file, not of a link, a folder or a submodule.
func IsRegular(mode uint32) bool { return mode == git.ModeFile || mode == git.ModeExec }

// Edit returns the edit of a tree that brings a file's version into it, or removes the file.
func Edit(f sessionstate.PathVersion) git.Edit {
	return git.Edit{Path: f.Path, Mode: f.Mode, OID: f.OID}
}

// SameContent reports whether mode and blob are equal; the path does not matter.
func SameContent(f sessionstate.PathVersion, mode uint32, oid git.OID) bool {
	return f.Mode == mode && f.OID == oid
}

// SortVersions sorts files by path, as Find needs them.
func SortVersions(files []sessionstate.PathVersion) sessionstate.PathVersions {
	sort.Slice(files, func(i, j int) bool { return files[i].Path < files[j].Path })
	return files
}

// Find returns the version of a path in a sorted list.
func Find(fs sessionstate.PathVersions, path string) (sessionstate.PathVersion, bool) {
	i := sort.Search(len(fs), func(i int) bool { return fs[i].Path >= path })
	if i < len(fs) && fs[i].Path == path {
		return fs[i], true
	}
	return sessionstate.PathVersion{}, false
}

// Equal reports whether two sorted lists have the same versions of the same paths.
func Equal(fs sessionstate.PathVersions, other sessionstate.PathVersions) bool {
	if len(fs) != len(other) {
		return false
	}
	for i := range fs {
		if fs[i] != other[i] {
			return false
		}
	}
	return true
}

// Digest identifies the state of a whole worktree relative to its HEAD.
func Digest(fs sessionstate.PathVersions) string {
	h := sha256.New()
	for _, f := range fs {
		fmt.Fprintf(h, "%o %s %s\x00", f.Mode, f.OID, f.Path)
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// EditsFrom returns the edits that lead from old to fs. back are the paths that are as in HEAD again,
// whose entries the caller must look up. Files below a removed path are listed again, because
// removing that path from a tree removes a whole folder.
func EditsFrom(fs sessionstate.PathVersions, old sessionstate.PathVersions) (edits []git.Edit, back []string) {
	going := map[string]bool{}
	for _, f := range fs {
		if was, ok := Find(old, f.Path); f.Mode == 0 && (!ok || was != f) {
			going[f.Path] = true
		}
	}
	for _, f := range fs {
		was, ok := Find(old, f.Path)
		if !ok || was != f || len(going) > 0 && slices.ContainsFunc(Parents(f.Path), func(dir string) bool { return going[dir] }) {
			edits = append(edits, Edit(f))
		}
	}
	for _, was := range old {
		if _, ok := Find(fs, was.Path); !ok {
			back = append(back, was.Path)
		}
	}
	return edits, back
}

// Edits returns the edits that bring versions into a tree.
func Edits(fs sessionstate.PathVersions) []git.Edit {
	edits := make([]git.Edit, len(fs))
	for i, f := range fs {
		edits[i] = Edit(f)
	}
	return edits
}

// OwnFolder is our own folder in a worktree and in a step's tree.
const OwnFolder = ".entire"

// OwnPath reports paths that are never part of a step: those in our own folder, whose settings a
// rewind must not undo.
func OwnPath(path string) bool { return path == OwnFolder || strings.HasPrefix(path, OwnFolder+"/") }

// Union merges lists into one sorted list without repeats.
func Union(lists ...[]string) []string {
	seen := map[string]bool{}
	var out []string
	for _, l := range lists {
		for _, v := range l {
			if !seen[v] {
				seen[v] = true
				out = append(out, v)
			}
		}
	}
	sort.Strings(out)
	return out
}

// SetOf returns a list as a set.
func SetOf(list []string) map[string]bool {
	m := make(map[string]bool, len(list))
	for _, v := range list {
		m[v] = true
	}
	return m
}

// RemovedFolder is a removed folder that a rollback makes again.
type RemovedFolder struct {
	Path string      `json:"path"`
	Mode fs.FileMode `json:"mode"`
}

// IsAbsent reports whether err proves that nothing is at a path; no other error does.
func IsAbsent(err error) bool { return errors.Is(err, fs.ErrNotExist) || IsNotDir(err) }

// IgnoreDenied returns the error that ends a plan when the disk cannot tell what is at a path. It
// returns nil if permission is denied: such a path is only left alone, because the error would not
// go away by itself.
func IgnoreDenied(err error) error {
	if errors.Is(err, fs.ErrPermission) {
		return nil
	}
	return fmt.Errorf("read the worktree: %w: nothing was changed", err)
}

// InsideNested reports whether a folder above path is a repository of its own.
func InsideNested(s *sessionstate.Env, path string) (bool, error) {
	for dir := filepath.Dir(filepath.FromSlash(path)); dir != "."; dir = filepath.Dir(dir) {
		_, err := os.Lstat(filepath.Join(s.Repo.Top, dir, ".git"))
		switch {
		case err == nil:
			return true, nil
		case !IsAbsent(err) && !IsImpossibleName(err) && IgnoreDenied(err) != nil:
			return false, IgnoreDenied(err)
		}
	}
	return false, nil
}

// Counted returns a number with its noun, as in "2 files".
func Counted(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// ShadowRef returns the full name of the shadow branch for steps on base.
func ShadowRef(s *sessionstate.Env, base git.OID) string {
	name := base.String()
	if base.IsZero() { // an unborn branch has no commit to name it
		name = strings.Repeat("0", shadow.HashLength)
	}
	return shadow.Ref(name, s.Repo.WorktreeID)
}

// HeadTree returns the tree of a commit, zero for an unborn branch.
func HeadTree(ctx context.Context, s *sessionstate.Env, commit git.OID) (git.OID, error) {
	if commit.IsZero() {
		return git.OID{}, nil
	}
	c, err := s.Repo.Reader(ctx).Commit(commit)
	return c.Tree, err
}
