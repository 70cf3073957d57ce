package workplace

import (
	"path/filepath"
	"strings"
)

// ProjectName returns what people call the repository, in every worktree the same: the name of the main worktree's
// folder or, of a bare repository with worktrees, its own without .git.
func (wp *Workplace) ProjectName() string {
	common := wp.Repo.CommonDir
	name := filepath.Base(common)
	switch bare, ok := strings.CutSuffix(name, ".git"); {
	case name == ".git":
		return filepath.Base(filepath.Dir(common))
	case ok && wp.Repo.GitDir != common:
		return bare
	}
	return filepath.Base(wp.Repo.Top)
}
