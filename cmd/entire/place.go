package main

import (
	"os"
	"path/filepath"
	"strings"

	"entire/internal/config"
	"entire/internal/durable"
)

// A place is the worktree around a directory, as far as a few file reads show it. It suffices to
// find that a hook has nothing to do; for more, callers use package git.
type place struct {
	top      string // "" when there is no repository
	settings string // the folder whose settings apply
	setUp    bool   // `entire enable` was run here
	folder   bool   // a folder outside git that was set up
}

// findPlace returns the worktree around dir.
func findPlace(dir string) place {
	if dir == "" {
		return place{}
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
			return place{top: at, settings: at, setUp: true, folder: true}
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
func placeAt(top, common string) place {
	p := place{top: top, settings: top, setUp: config.Exists(top)}
	if common != "" && leavesOut(top, common) && recordedAt(common) {
		p.setUp = true
		if dir := hiddenSettings(common); config.Exists(dir) {
			p.settings = dir
		}
	}
	if p.setUp || common == "" {
		return p
	}
	if filepath.Base(common) == ".git" {
		if main := filepath.Dir(common); main != top && config.Exists(main) {
			return place{top: top, settings: main, setUp: true}
		}
	}
	info, err := os.Stat(filepath.Join(common, "entire-sessions"))
	p.setUp = err == nil && info.IsDir()
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

// branchAt returns the branch of the worktree at top: "HEAD" for none, "?" if there is no such
// worktree.
func branchAt(top string) string {
	gitDir := filepath.Join(top, ".git")
	if text, err := readShort(gitDir); err == nil {
		gitDir = resolveFrom(top, strings.TrimPrefix(text, "gitdir: "))
	}
	head, err := readShort(filepath.Join(gitDir, "HEAD"))
	if err != nil {
		return "?"
	}
	if name, ok := strings.CutPrefix(head, "ref: refs/heads/"); ok {
		return name
	}
	return "HEAD"
}

// active reports whether hooks have work to do here.
func (p place) active() bool { return p.setUp && config.Enabled(p.settings) }

// off reports whether Entire is set up and disabled here.
func (p place) off() bool { return p.setUp && !config.Enabled(p.settings) }
