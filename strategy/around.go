package strategy

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"entire/internal/git"
)

// What is looked at beside the files that git lists, at most. Git lists neither
// empty folders nor pipes, sockets and devices: they are looked for at the top
// and where something changed, not in the whole worktree.
const (
	aroundDirs    = 64   // folders read
	aroundEntries = 4096 // entries of them
	aroundPeeks   = 256  // folders in them that are looked into for anything
)

// lookAround notes the empty folders and special files in the folders in which
// something changed, and at the top.
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

// changedDirs are the top and the folders of some entries with those above them.
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

type around struct {
	top            string
	snap           *snapshot
	known          map[string]bool // empty folders and special files noted
	peeks, entries int
}

func (a *around) read(dir string) {
	f, err := openFolder(filepath.Join(a.top, filepath.FromSlash(dir)))
	if err != nil {
		return // gone, or of another kind: its files are noted as deleted
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

// openFolder opens a folder, and nothing else: a pipe that has taken the place of
// one would be waited for.
func openFolder(path string) (*os.File, error) {
	return os.Open(path + string(filepath.Separator) + ".")
}

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
