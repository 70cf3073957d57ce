package worktree

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"entire/internal/durable"
	"entire/internal/git"
	"entire/strategy/sessionstate"
)

// Limits of the search for empty folders, pipes, sockets and devices, which git does not list.
// Only the top and the folders in which something changed are searched.
const (
	scanDirsMax    = 64   // folders read
	ScanEntriesMax = 4096 // entries read in them
	ScanPeeksMax   = 256  // folders in them that are checked for being empty
)

// ChangedDirs returns the top, the folders of the entries and the folders above those, at most
// scanDirsMax.
func ChangedDirs(entries []git.StatusEntry) []string {
	dirs, seen := []string{"."}, map[string]bool{".": true}
	for _, e := range entries {
		for dir := path.Dir(e.Path); !seen[dir] && !OwnPath(dir); dir = path.Dir(dir) {
			if len(dirs) == scanDirsMax {
				return dirs
			}
			seen[dir] = true
			dirs = append(dirs, dir)
		}
	}
	return dirs
}

// DirScan searches folders for what git does not list.
type DirScan struct {
	Top            string
	Snap           *Snapshot
	Known          map[string]bool // empty folders and special files noted
	Peeks, Entries int
}

// ReadDir notes the special files and empty folders in dir, and dir itself if it is empty.
func (a *DirScan) ReadDir(dir string) {
	f, err := openFolder(filepath.Join(a.Top, filepath.FromSlash(dir)))
	if err != nil {
		return // removed, or no folder any more: its files are noted as deleted
	}
	defer f.Close()
	list, err := f.ReadDir(a.Entries + 1)
	if len(list) == 0 && err != nil && dir != "." {
		a.noteEmpty(dir)
	}
	if a.Entries -= len(list); a.Entries < 0 {
		a.Entries = 0
		return
	}
	for _, e := range list {
		p := path.Join(dir, e.Name())
		switch t := e.Type(); {
		case OwnPath(p) || e.Name() == ".git":
		case t&fs.ModeSymlink != 0 || t.IsRegular():
		case t.IsDir():
			if a.Peeks--; a.Peeks >= 0 && isEmptyDir(filepath.Join(a.Top, filepath.FromSlash(p))) {
				a.noteEmpty(p)
			}
		case !a.Known[p]:
			a.Known[p] = true
			a.Snap.LeaveOut(p, GapSpecial, "special file ("+specialKind(t)+")")
		}
	}
}

// openFolder opens a folder and fails for anything else. Without this, opening a pipe that
// replaced a folder would block.
func openFolder(path string) (*os.File, error) {
	return os.Open(path + string(filepath.Separator) + ".")
}

// noteEmpty notes dir as an empty folder that cannot be captured.
func (a *DirScan) noteEmpty(dir string) {
	if !a.Known[dir] {
		a.Known[dir] = true
		a.Snap.Uncaptured = append(a.Snap.Uncaptured, Uncaptured{Path: dir, Gap: GapEmpty, Why: "empty folder"})
	}
}

func isEmptyDir(dir string) bool {
	f, err := openFolder(dir)
	if err != nil {
		return false
	}
	defer f.Close()
	return isEmpty(f)
}

// maxModules bounds the size of .gitmodules, which every snapshot reads.
const maxModules = 1 << 20

// Submodules returns the paths that .gitmodules names, without starting git. It skips quoted
// values with escapes.
func Submodules(s *sessionstate.Env) []string {
	data, err := durable.ReadPlain(filepath.Join(s.Repo.Top, ".gitmodules"), maxModules)
	if err != nil {
		return nil
	}
	var out []string
	for line := range strings.Lines(string(data)) {
		key, value, ok := strings.Cut(line, "=")
		if !ok || strings.TrimSpace(key) != "path" {
			continue
		}
		p := strings.Trim(strings.TrimSpace(value), `"`)
		if path.Clean(p) == p && git.ValidPath(p) == nil && sessionstate.PathExists(filepath.Join(s.Repo.Top, filepath.FromSlash(p))) {
			out = append(out, p)
		}
	}
	return out
}
