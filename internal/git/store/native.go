package store

import (
	"errors"
	"os"
	"path/filepath"
	"strings"

	"entire/internal/durable"
	"entire/internal/git/object"
	"entire/internal/git/process"
)

// discoverNative searches upwards for a plain `.git` folder, or the `.git` file of a
// linked worktree. known is false if only git can tell; a nil Repo with known means that
// there is no repository.
func discoverNative(dir string) (r *Repo, known bool) {
	for {
		dot := filepath.Join(dir, ".git")
		fi, err := os.Lstat(dot)
		switch {
		case err == nil && fi.IsDir():
			return ordinary(Repo{Top: dir, GitDir: dot, CommonDir: dot})
		case err == nil && fi.Mode().IsRegular() && process.OwnedByUs(fi):
			return linked(dir, dot)
		case !errors.Is(err, os.ErrNotExist):
			return nil, false
		}
		// In a bare repository, or in a hook inside one, HEAD is in dir itself.
		if _, err := os.Lstat(filepath.Join(dir, "HEAD")); err == nil {
			return nil, false
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return nil, true
		}
		dir = parent
	}
}

// linked follows the `.git` file of a linked worktree; git must follow that of a submodule
// or of a separate git directory.
func linked(top, dot string) (*Repo, bool) {
	gitDir, ok := readPath(dot, "gitdir: ")
	if !ok {
		return nil, false
	}
	common, ok := readPath(filepath.Join(gitDir, "commondir"), "")
	if !ok || filepath.Dir(gitDir) != filepath.Join(common, "worktrees") {
		return nil, false
	}
	return ordinary(Repo{Top: top, GitDir: gitDir, CommonDir: common, WorktreeID: filepath.Base(gitDir)})
}

// maxPathFile bounds the size of a `.git` file.
const maxPathFile = 64 << 10

// readPath returns the path in one of git's one-line files, resolved against the file's
// folder.
func readPath(file, prefix string) (string, bool) {
	data, err := durable.Read(file, maxPathFile)
	path, found := strings.CutPrefix(strings.TrimRight(string(data), "\r\n"), prefix)
	if err != nil || !found || path == "" {
		return "", false
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(filepath.Dir(file), path)
	}
	path, err = filepath.EvalSymlinks(path)
	return path, err == nil
}

// ordinary reports whether git would accept r, and its configuration has nothing unusual.
// If git does not accept a `.git`, it searches further up.
func ordinary(r Repo) (*Repo, bool) {
	for _, dir := range []string{r.Top, r.GitDir} {
		if fi, err := os.Lstat(dir); err != nil || !fi.IsDir() || !process.OwnedByUs(fi) {
			return nil, false
		}
	}
	for _, name := range []string{"objects", "refs"} {
		if fi, err := os.Stat(filepath.Join(r.CommonDir, name)); err != nil || !fi.IsDir() {
			return nil, false
		}
	}
	head, err := os.ReadFile(filepath.Join(r.GitDir, "HEAD"))
	if err != nil || !plainHead(string(head)) {
		return nil, false
	}
	cfg, ok := r.ownConfig()
	if !ok || cfg.unusual {
		return nil, false
	}
	r.FileMode, r.IgnoreCase, r.PlainLinks = cfg.fileMode, cfg.ignoreCase, cfg.plainLinks
	return &r, true
}

func plainHead(head string) bool {
	head = strings.TrimRight(head, "\n")
	if strings.HasPrefix(head, "ref: refs/heads/") {
		return true
	}
	_, err := object.ParseOID(head)
	return err == nil
}

// plainConfig is the part of a repository's configuration that discovery needs.
type plainConfig struct {
	fileMode    bool // core.fileMode
	ignoreCase  bool // core.ignoreCase
	plainLinks  bool // core.symlinks is off
	perWorktree bool // extensions.worktreeConfig
	unusual     bool // it changes where or what the repository is
}

// ownConfig reads the repository's configuration and, if there is one, this worktree's. ok
// is false if only git can read it.
func (r *Repo) ownConfig() (cfg plainConfig, ok bool) {
	cfg.fileMode = true
	data, err := os.ReadFile(filepath.Join(r.CommonDir, "config"))
	if err != nil || !cfg.read(string(data)) {
		return cfg, false
	}
	if !cfg.perWorktree {
		return cfg, true
	}
	data, err = os.ReadFile(filepath.Join(r.GitDir, "config.worktree"))
	if errors.Is(err, os.ErrNotExist) {
		return cfg, true
	}
	return cfg, err == nil && cfg.read(string(data))
}

// read parses a configuration file. It returns false if the file includes another one, or
// sets a mode to anything but true or false.
func (c *plainConfig) read(cfg string) bool {
	extensions := false
	for line := range strings.Lines(strings.ToLower(cfg)) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "[") {
			if strings.HasPrefix(line, "[include") {
				return false
			}
			extensions = strings.HasPrefix(line, "[extensions")
			line = strings.TrimSpace(afterHeader(line))
		}
		if line == "" || line[0] == '#' || line[0] == ';' {
			continue
		}
		name, value, _ := strings.Cut(line, "=")
		if !c.variable(extensions, strings.TrimSpace(name), strings.TrimSpace(value)) {
			return false
		}
	}
	return true
}

func (c *plainConfig) variable(extensions bool, name, value string) bool {
	on, off := value == "true", value == "false"
	switch {
	case extensions && name == "worktreeconfig":
		c.perWorktree = on
		return on || off
	case name == "filemode":
		c.fileMode = on
		return on || off
	case name == "ignorecase":
		c.ignoreCase = on
		return on || off
	case name == "symlinks":
		c.plainLinks = off
		return on || off
	case name == "sharedrepository":
		return false
	case name == "repositoryformatversion":
		return value == "0" || value == "1" // others are of a newer git
	case extensions, name == "worktree", name == "bare" && !off:
		c.unusual = true
	}
	return true
}

// afterHeader removes a section header; a variable may follow on its line.
func afterHeader(line string) string {
	quoted := false
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case c == ']' && !quoted:
			return line[i+1:]
		}
	}
	return ""
}
