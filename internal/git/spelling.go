package git

import (
	"path/filepath"

	"entire/internal/git/worktree"
)

// Below makes an absolute path relative to the worktree's top, with slashes. Where the file system ignores case the
// path may be spelled differently than the disk has it; the result is spelled as there. ok is false outside.
func (r *Repo) Below(path string) (rel string, ok bool) {
	if r.IgnoreCase && r.Top != "" {
		if r.spelling == nil {
			r.spelling = worktree.NewSpelling(r.Top)
		}
		return r.spelling.Rel(path)
	}
	rel, err := filepath.Rel(r.Top, path)
	return filepath.ToSlash(rel), err == nil && filepath.IsLocal(rel)
}
