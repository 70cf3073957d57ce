package workplace

import (
	"context"
	"os"
	"path/filepath"
	"strings"

	"entire/internal/cli/cliui"
	"entire/internal/config"
	"entire/internal/durable"
	"entire/internal/git"
)

// Common returns git's common directory as the files show it, "" for none.
func (p Place) Common() string {
	if p.Top == "" || p.Folder {
		return ""
	}
	dot := filepath.Join(p.Top, ".git")
	info, err := os.Lstat(dot)
	switch {
	case err != nil:
		return ""
	case info.IsDir():
		return dot
	}
	return linkedCommonDir(dot)
}

// GitDir returns the worktree's own git directory as the files show it, "" for none.
func (p Place) GitDir() string {
	if p.Top == "" || p.Folder {
		return ""
	}
	dot := filepath.Join(p.Top, ".git")
	text, err := readShort(dot)
	if dir, linked := strings.CutPrefix(text, "gitdir: "); err == nil && linked {
		return resolveFrom(p.Top, dir)
	}
	return dot
}

// A Place is the worktree around a directory, as far as a few file reads show it. It suffices to
// find that a hook has nothing to do; for more, callers use package git.
type Place struct {
	Top      string // "" when there is no repository
	Settings string // the folder whose settings apply
	SetUp    bool   // `entire enable` was run here
	Folder   bool   // a folder outside git that was set up
}

// PlaceHere returns the worktree or folder around the current directory.
func PlaceHere(env *cliui.Env) (Place, error) {
	dir, err := env.Here()
	return FindPlace(dir), err
}

// FindPlace returns the worktree around dir.
func FindPlace(dir string) Place {
	if dir == "" {
		return Place{}
	}
	for at := dir; ; at = filepath.Dir(at) {
		dot := filepath.Join(at, ".git")
		if info, err := os.Lstat(dot); err == nil {
			common := dot
			if !info.IsDir() {
				common = linkedCommonDir(dot)
			}
			return placeAt(at, common)
		}
		if at == filepath.Dir(at) {
			break
		}
	}
	for at := dir; ; at = filepath.Dir(at) {
		if config.Exists(at) {
			return Place{Top: at, Settings: at, SetUp: true, Folder: true}
		}
		if at == filepath.Dir(at) {
			break
		}
	}
	// GIT_DIR may name a git directory elsewhere.
	return placeAt(dir, "")
}

// placeAt returns the place at top. A linked worktree without committed settings uses those of
// the main worktree; a branch without settings stays set up if the repository once was.
func placeAt(top, common string) Place {
	p := Place{Top: top, Settings: top, SetUp: config.Exists(top)}
	if common != "" && leavesOut(top, common) && recordedAt(common) {
		p.SetUp = true
		if dir := hiddenSettings(common); config.Exists(dir) {
			p.Settings = dir
		}
	}
	if p.SetUp || common == "" {
		return p
	}
	if filepath.Base(common) == ".git" {
		if main := filepath.Dir(common); main != top && config.Exists(main) {
			return Place{Top: top, Settings: main, SetUp: true}
		}
	}
	if folder := globalSettings(common); config.Exists(folder) {
		return Place{Top: top, Settings: folder, SetUp: trackedGlobally(common)}
	}
	info, err := os.Stat(filepath.Join(common, "entire-sessions"))
	p.SetUp = err == nil && info.IsDir()
	return p
}

// linkedCommonDir follows a .git file to git's common directory, "" if that fails.
func linkedCommonDir(file string) string {
	text, err := readShort(file)
	gitDir, ok := strings.CutPrefix(text, "gitdir: ")
	if err != nil || !ok {
		return ""
	}
	gitDir = resolveFrom(filepath.Dir(file), gitDir)
	common, err := readShort(filepath.Join(gitDir, "commondir"))
	if err != nil {
		return gitDir
	}
	return resolveFrom(gitDir, common)
}

func resolveFrom(dir, path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(dir, path)
}

// readShort returns the first 4 kB of a file without trailing newlines.
func readShort(path string) (string, error) {
	file, err := durable.Open(path)
	if err != nil {
		return "", err
	}
	defer file.Close()
	buf := make([]byte, 4096)
	n, err := file.Read(buf)
	if err != nil {
		return "", err
	}
	return strings.TrimRight(string(buf[:n]), "\r\n"), nil
}

// BranchAt returns the branch of the worktree at top: "HEAD" for none, "?" if there is no such
// worktree. It starts git only where refs are in tables.
func BranchAt(ctx context.Context, environ []string, top string) string {
	gitDir := filepath.Join(top, ".git")
	if text, err := readShort(gitDir); err == nil {
		gitDir = resolveFrom(top, strings.TrimPrefix(text, "gitdir: "))
	}
	head, err := readShort(filepath.Join(gitDir, "HEAD"))
	if err != nil {
		return "?"
	}
	name, ok := strings.CutPrefix(head, "ref: refs/heads/")
	if name == ".invalid" {
		repo, err := git.Discover(ctx, top, environ)
		if err != nil {
			return "?"
		}
		defer repo.Close()
		name = repo.Branch(ctx)
		ok = name != ""
	}
	if !ok {
		return "HEAD"
	}
	return name
}

// Active reports whether hooks have work to do here.
func (p Place) Active() bool { return p.SetUp && config.Enabled(p.Settings) }

// Off reports whether Entire is set up and disabled here.
func (p Place) Off() bool { return p.SetUp && !config.Enabled(p.Settings) }
