package strategy

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"sort"
	"strings"

	"entire/internal/git"
)

// fileState is the version of one path of the worktree that differs from HEAD. Mode 0 means that
// the file is gone.
type fileState struct {
	path string
	mode uint32
	oid  git.OID
}

func (f fileState) edit() git.Edit { return git.Edit{Path: f.path, Mode: f.mode, OID: f.oid} }

// sameContent reports whether mode and blob are equal; the path does not matter.
func (f fileState) sameContent(mode uint32, oid git.OID) bool { return f.mode == mode && f.oid == oid }

// fileStates is sorted by path and holds each path once.
type fileStates []fileState

func sortStates(files []fileState) fileStates {
	sort.Slice(files, func(i, j int) bool { return files[i].path < files[j].path })
	return files
}

func (fs fileStates) find(path string) (fileState, bool) {
	i := sort.Search(len(fs), func(i int) bool { return fs[i].path >= path })
	if i < len(fs) && fs[i].path == path {
		return fs[i], true
	}
	return fileState{}, false
}

func (fs fileStates) equal(other fileStates) bool {
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

// digest identifies the state of a whole worktree relative to its HEAD.
func (fs fileStates) digest() string {
	h := sha256.New()
	for _, f := range fs {
		fmt.Fprintf(h, "%o %s %s\x00", f.mode, f.oid, f.path)
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// delta returns the edits that lead from old to fs. back are the paths that are as in HEAD again,
// whose entries the caller must look up. Files below a removed path are listed again, because
// removing that path from a tree removes a whole folder.
func (fs fileStates) delta(old fileStates) (edits []git.Edit, back []string) {
	going := map[string]bool{}
	for _, f := range fs {
		if was, ok := old.find(f.path); f.mode == 0 && (!ok || was != f) {
			going[f.path] = true
		}
	}
	for _, f := range fs {
		was, ok := old.find(f.path)
		if !ok || was != f || len(going) > 0 && slices.ContainsFunc(parents(f.path), func(dir string) bool { return going[dir] }) {
			edits = append(edits, f.edit())
		}
	}
	for _, was := range old {
		if _, ok := fs.find(was.path); !ok {
			back = append(back, was.path)
		}
	}
	return edits, back
}

func (fs fileStates) edits() []git.Edit {
	edits := make([]git.Edit, len(fs))
	for i, f := range fs {
		edits[i] = f.edit()
	}
	return edits
}

// ownFolder is our own folder in a worktree and in a step's tree.
const ownFolder = ".entire"

// ownPath reports paths that are never part of a step: those in our own folder, whose settings a
// rewind must not undo.
func ownPath(path string) bool { return path == ownFolder || strings.HasPrefix(path, ownFolder+"/") }

// union merges lists into one sorted list without repeats.
func union(lists ...[]string) []string {
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

func setOf(list []string) map[string]bool {
	m := make(map[string]bool, len(list))
	for _, v := range list {
		m[v] = true
	}
	return m
}
