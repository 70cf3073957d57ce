package strategy

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"entire/internal/git"
)

// footprint tells a file or link from another, and from itself after it was
// written to. A rename, a hard link and a copy with its time keep it.
type footprint struct {
	Mode fs.FileMode `json:"mode"` // type and permissions
	Size int64       `json:"size"`
	Time int64       `json:"time"` // nanoseconds
}

func footprintOf(fi fs.FileInfo) *footprint {
	return &footprint{fi.Mode() & (fs.ModeType | fs.ModePerm), fi.Size(), fi.ModTime().UnixNano()}
}

// left reports that fi has the footprint.
func (f *footprint) left(fi fs.FileInfo) bool { return fi != nil && f != nil && *footprintOf(fi) == *f }

// before is the test for what a change expects to meet.
func (c planned) before(fi fs.FileInfo) bool { return meets(c.OldMode, c.Was, fi) }

// after is the test for what a change leaves behind.
func (c planned) after(fi fs.FileInfo) bool { return meets(c.NewMode, c.Now, fi) }

// meets accepts anything where a journal of version 1 knows no footprint.
func meets(mode uint32, f *footprint, fi fs.FileInfo) bool {
	if mode == 0 {
		return fi == nil
	}
	return fi != nil && (f == nil || f.left(fi))
}

// survey notes what stands at every path that the rewind will change, before it
// is compared with the plan. Whatever is bound to fail is an error now, when
// nothing has been done.
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
			if !seen[c.path()] { // it is empty, or removals empty it; see keepBlocked
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

// foldersAbove are the folders above a path with their modes, outermost first,
// without those seen before.
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
			return nil, err // its mode would not come back
		}
	}
	return out, nil
}

// below reports that p lies below the folder dir.
func below(p, dir string) bool { return strings.HasPrefix(p, dir+"/") }

// parents are the folders above p, innermost first, without the top.
func parents(p string) []string {
	var out []string
	for dir := path.Dir(p); dir != "."; dir = path.Dir(dir) {
		out = append(out, dir)
	}
	return out
}
