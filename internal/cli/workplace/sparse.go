package workplace

import (
	"bytes"
	"context"
	"os"
	"path"
	"path/filepath"

	"entire/internal/config"
	"entire/internal/durable"
	"entire/internal/git"
)

// hiddenSettings returns the folder for copies of the settings that a sparse checkout leaves out
// of a worktree: HEAD's, and the person's own.
func hiddenSettings(common string) string { return filepath.Join(common, "entire", "settings") }

// leavesOut reports whether a worktree lacks the project's settings and a sparse checkout may
// have left them out. dirs are the git directories to look in.
func leavesOut(top string, dirs ...string) bool {
	if _, err := os.Lstat(config.Path(top, config.Project)); err == nil {
		return false
	}
	for _, dir := range dirs {
		if _, err := os.Stat(filepath.Join(dir, "info", "sparse-checkout")); err == nil {
			return true
		}
	}
	return false
}

// recordedAt reports whether git's common directory shows that `entire enable` was run here.
func recordedAt(common string) bool {
	for _, name := range []string{hiddenSettings(common), filepath.Join(common, "entire", "hooks.dirs")} {
		if _, err := os.Stat(name); err == nil {
			return true
		}
	}
	return false
}

// showHidden copies the settings that a sparse checkout leaves out, and uses the copies. Settings
// that cannot be read stay as they were last copied.
func (p *Place) showHidden(ctx context.Context, repo *git.Repo) error {
	if repo.Top == "" || !leavesOut(repo.Top, repo.GitDir, repo.CommonDir) {
		return nil
	}
	dir := hiddenSettings(repo.CommonDir)
	head, born, err := repo.Reader(ctx).CommitOf("HEAD")
	if err != nil || !born {
		return err
	}
	entry, found, err := repo.Reader(ctx).Path(head.Tree, path.Join(".entire", path.Base(filepath.ToSlash(config.Path(dir, config.Project)))))
	if err != nil || !found || entry.Mode != git.ModeFile {
		return err
	}
	project, err := repo.Reader(ctx).Blob(entry.OID)
	if err != nil {
		return err
	}
	local, err := config.Text(repo.Top, config.Local)
	if err != nil {
		return err
	}
	p.Settings, p.SetUp = dir, true
	for _, copied := range []struct {
		target config.Target
		text   []byte
	}{{config.Project, project}, {config.Local, local}} {
		if has, err := config.Text(dir, copied.target); err == nil && bytes.Equal(has, copied.text) {
			continue
		}
		to := config.Path(dir, copied.target)
		if copied.text == nil {
			err = os.Remove(to)
		} else {
			err = durable.WriteCache(to, copied.text, 0o600)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
