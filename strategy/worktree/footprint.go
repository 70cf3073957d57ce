package worktree

import (
	"errors"
	"io/fs"
	"path"
	"strings"

	"entire/internal/git"
	"entire/strategy/sessionstate"
)

// Footprint identifies the state of a file or link by its stat data: writing to the file changes
// it, and a rename, a hard link or a copy that keeps the time does not.
type Footprint struct {
	Mode fs.FileMode `json:"mode"` // type and permissions
	Size int64       `json:"size"`
	Time int64       `json:"time"` // nanoseconds
}

// FootprintOf returns the footprint of a file's stat data.
func FootprintOf(fi fs.FileInfo) *Footprint {
	return &Footprint{fi.Mode() & (fs.ModeType | fs.ModePerm), fi.Size(), fi.ModTime().UnixNano()}
}

// Matches reports whether fi has the footprint.
func (f *Footprint) Matches(fi fs.FileInfo) bool {
	return fi != nil && f != nil && *FootprintOf(fi) == *f
}

// MatchesFootprint reports whether fi fits a mode and a footprint. A nil footprint, as in a journal of
// version 1, fits every file.
func MatchesFootprint(mode uint32, f *Footprint, fi fs.FileInfo) bool {
	if mode == 0 {
		return fi == nil
	}
	return fi != nil && (f == nil || f.Matches(fi))
}

// FoldersAbove returns the folders above a path with their modes, outermost first, without those
// seen before.
func FoldersAbove(wt *git.Worktree, p string, seen map[string]bool) ([]RemovedFolder, error) {
	var out []RemovedFolder
	for i := 0; i < len(p); i++ {
		if p[i] != '/' || seen[p[:i]] {
			continue
		}
		seen[p[:i]] = true
		fi, err := wt.Lstat(p[:i])
		switch {
		case err == nil && fi.IsDir():
			out = append(out, RemovedFolder{sessionstate.EncodePath(p[:i]), fi.Mode().Perm()})
		case err != nil && !IsAbsent(err) && !errors.Is(err, git.ErrThroughLink):
			return nil, err // the folder's mode could not be restored
		}
	}
	return out, nil
}

// BelowFolder reports whether p is below the folder dir.
func BelowFolder(p, dir string) bool { return strings.HasPrefix(p, dir+"/") }

// Parents returns the folders above p, innermost first, without the top.
func Parents(p string) []string {
	var out []string
	for dir := path.Dir(p); dir != "."; dir = path.Dir(dir) {
		out = append(out, dir)
	}
	return out
}
