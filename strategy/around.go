package strategy

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"entire/internal/git"
)

// Limits of the search for empty folders, pipes, sockets and devices, which git does not list.
// Only the top and the folders in which something changed are searched.
const (
	aroundDirs    = 64   // folders read
	aroundEntries = 4096 // entries read in them
	aroundPeeks   = 256  // folders in them that are checked for being empty
)

// lookAround notes the empty folders and special files at the top and in the folders in which
// something changed.
func (s *ManualCommitStrategy) lookAround(st *git.Status, snap *snapshot) {
	known := map[string]bool{}
	for _, u := range snap.uncaptured {
		if u.Gap.content() {
			known[u.Path] = true
		}
	}
	a := around{top: s.repo.Top, snap: snap, known: known, peeks: aroundPeeks, entries: aroundEntries}
	for _, dir := range changedDirs(st.Entries) {
		if snap.beyondLink(s.repo.Top, dir) {
			continue
		}
		if nested, err := s.insideNested(dir + "/x"); err == nil && !nested || dir == "." {
			a.read(dir)
		}
	}
}

// changedDirs returns the top, the folders of the entries and the folders above those, at most
// aroundDirs.
func changedDirs(entries []git.StatusEntry) []string {
	dirs, seen := []string{"."}, map[string]bool{".": true}
	for _, e := range entries {
		for dir := path.Dir(e.Path); !seen[dir] && !ownPath(dir); dir = path.Dir(dir) {
			if len(dirs) == aroundDirs {
				return dirs
			}
			seen[dir] = true
			dirs = append(dirs, dir)
		}
	}
	return dirs
}

// around searches folders for what git does not list.
type around struct {
	top            string
	snap           *snapshot
	known          map[string]bool // empty folders and special files noted
	peeks, entries int
}

// read notes the special files and empty folders in dir, and dir itself if it is empty.
func (a *around) read(dir string) {
	f, err := openFolder(filepath.Join(a.top, filepath.FromSlash(dir)))
	if err != nil {
		return // removed, or no folder any more: its files are noted as deleted
	}
	defer f.Close()
	list, err := f.ReadDir(a.entries + 1)
	if len(list) == 0 && err != nil && dir != "." {
		a.empty(dir)
	}
	if a.entries -= len(list); a.entries < 0 {
		a.entries = 0
		return
	}
	for _, e := range list {
		p := path.Join(dir, e.Name())
		switch t := e.Type(); {
		case ownPath(p) || e.Name() == ".git":
		case t&fs.ModeSymlink != 0 || t.IsRegular():
		case t.IsDir():
			if a.peeks--; a.peeks >= 0 && isEmptyDir(filepath.Join(a.top, filepath.FromSlash(p))) {
				a.empty(p)
			}
		case !a.known[p]:
			a.known[p] = true
			a.snap.skip(p, GapSpecial, "special file ("+specialKind(t)+")")
		}
	}
}

// openFolder opens a folder and fails for anything else. Without this, opening a pipe that
// replaced a folder would block.
func openFolder(path string) (*os.File, error) {
	return os.Open(path + string(filepath.Separator) + ".")
}

// empty notes dir as an empty folder that cannot be captured.
func (a *around) empty(dir string) {
	if !a.known[dir] {
		a.known[dir] = true
		a.snap.uncaptured = append(a.snap.uncaptured, Uncaptured{Path: dir, Gap: GapEmpty, Why: "empty folder"})
	}
}

func isEmptyDir(dir string) bool {
	f, err := openFolder(dir)
	if err != nil {
		return false
	}
	defer f.Close()
	names, err := f.Readdirnames(1)
	return len(names) == 0 && err != nil
}
