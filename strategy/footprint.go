package strategy

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"entire/internal/git"
)

// footprint identifies the state of a file or link by its stat data: writing to the file changes
// it, and a rename, a hard link or a copy that keeps the time does not.
type footprint struct {
	Mode fs.FileMode `json:"mode"` // type and permissions
	Size int64       `json:"size"`
	Time int64       `json:"time"` // nanoseconds
}

func footprintOf(fi fs.FileInfo) *footprint {
	return &footprint{fi.Mode() & (fs.ModeType | fs.ModePerm), fi.Size(), fi.ModTime().UnixNano()}
}

// left reports whether fi has the footprint.
func (f *footprint) left(fi fs.FileInfo) bool { return fi != nil && f != nil && *footprintOf(fi) == *f }

// before reports whether fi is what the change expects to find.
func (c planned) before(fi fs.FileInfo) bool { return meets(c.OldMode, c.Was, fi) }

// after reports whether fi is what the change leaves.
func (c planned) after(fi fs.FileInfo) bool { return meets(c.NewMode, c.Now, fi) }

// meets reports whether fi fits a mode and a footprint. A nil footprint, as in a journal of
// version 1, fits every file.
func meets(mode uint32, f *footprint, fi fs.FileInfo) bool {
	if mode == 0 {
		return fi == nil
	}
	return fi != nil && (f == nil || f.left(fi))
}

// survey notes what is at every path that the rewind will change, before it is compared with the
// plan. It returns an error for a change that is bound to fail, while nothing has been changed
// yet.
func (s *ManualCommitStrategy) survey(j *journal) error {
	wt, err := s.repo.OpenWorktree()
	if err != nil {
		return err
	}
	defer wt.Close()
	seen := map[string]bool{}
	for i := range j.Changes {
		c := &j.Changes[i]
		st, err := wt.Preflight(c.path())
		if err != nil {
			return fmt.Errorf("%w; nothing was changed", err)
		}
		c.Folders = st.Folders
		switch {
		case st.Info != nil && st.Info.IsDir():
			if !seen[c.path()] { // the folder is empty, or removals empty it; see keepBlocked
				seen[c.path()] = true
				j.Folders = append(j.Folders, folder{pathText(c.path()), st.Info.Mode().Perm()})
			}
		case st.Info != nil:
			c.Was = footprintOf(st.Info)
		}
		if c.NewMode == 0 {
			above, err := foldersAbove(wt, c.path(), seen)
			if err != nil {
				return fmt.Errorf("%w; nothing was changed", err)
			}
			j.Folders = append(j.Folders, above...)
		}
	}
	return nil
}

// foldersAbove returns the folders above a path with their modes, outermost first, without those
// seen before.
func foldersAbove(wt *git.Worktree, p string, seen map[string]bool) ([]folder, error) {
	var out []folder
	for i := 0; i < len(p); i++ {
		if p[i] != '/' || seen[p[:i]] {
			continue
		}
		seen[p[:i]] = true
		fi, err := wt.Lstat(p[:i])
		switch {
		case err == nil && fi.IsDir():
			out = append(out, folder{pathText(p[:i]), fi.Mode().Perm()})
		case err != nil && !absent(err) && !errors.Is(err, git.ErrThroughLink):
			return nil, err // the folder's mode could not be restored
		}
	}
	return out, nil
}

// below reports whether p is below the folder dir.
func below(p, dir string) bool { return strings.HasPrefix(p, dir+"/") }

// parents returns the folders above p, innermost first, without the top.
func parents(p string) []string {
	var out []string
	for dir := path.Dir(p); dir != "."; dir = path.Dir(dir) {
		out = append(out, dir)
	}
	return out
}
