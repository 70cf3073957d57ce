package main

import (
	"os"
	"path/filepath"
	"strings"

	"entire/internal/config"
	"entire/internal/durable"
)

// A place is the worktree around a directory as far as a few file reads can
// tell. It is enough to know that there is nothing to do; whoever does something
// asks package git.
type place struct {
	top      string // "" when there is no repository
	settings string // the worktree whose settings are in force
	setUp    bool   // somebody ran `entire enable` here
	folder   bool   // it is a folder outside git that was set up, as far as files can tell
}

// findPlace looks for the worktree around dir.
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
	// The git directory may be elsewhere, named by GIT_DIR.
	return placeAt(dir, "")
}

// placeAt knows what stands at top. A linked worktree whose own settings were
// never committed follows those of the main one, and a branch without settings
// does not end what was once set up here.
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

// linkedCommonDir follows a .git file to the directory that holds the refs, ""
// if it leads nowhere.
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

// readShort returns the first 4 kB of a file without its final newlines.
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

// branchAt is the branch that the worktree at top is on: "HEAD" when it is on
// none, "?" when there is no such worktree.
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

// active reports whether hooks are to do anything here.
func (p place) active() bool { return p.setUp && config.Enabled(p.settings) }

// off reports that hooks surely have nothing to do here.
func (p place) off() bool { return p.setUp && !config.Enabled(p.settings) }
