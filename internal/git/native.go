package git

import (
	"errors"
	"os"
	"path/filepath"
	"strings"

	"entire/internal/durable"
)

// discoverNative looks upwards for a plain `.git` folder, or the `.git` file of
// a linked worktree. known is false when only git can tell; a nil Repo with
// known means there is surely none.
func discoverNative(dir string) (r *Repo, known bool) {
	for {
		dot := filepath.Join(dir, ".git")
		fi, err := os.Lstat(dot)
		switch {
		case err == nil && fi.IsDir():
			return ordinary(Repo{Top: dir, GitDir: dot, CommonDir: dot})
		case err == nil && fi.Mode().IsRegular() && ownedByUs(fi):
			return linked(dir, dot)
		case !errors.Is(err, os.ErrNotExist):
			return nil, false
		}
		// A bare repository, or a hook running inside one, has HEAD beside us.
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

// linked follows the `.git` file of a linked worktree; that of a submodule or of
// a separate git directory is left to git.
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

// maxPathFile bounds a `.git` file: a repository may come with any.
const maxPathFile = 64 << 10

// readPath reads a path from one of git's one-line files, relative to it.
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

// ordinary accepts r only if git would, and if its configuration can mean
// nothing unusual. A `.git` that git does not accept makes it look further up.
func ordinary(r Repo) (*Repo, bool) {
	for _, dir := range []string{r.Top, r.GitDir} {
		if fi, err := os.Lstat(dir); err != nil || !fi.IsDir() || !ownedByUs(fi) {
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
	r.FileMode = cfg.fileMode
	return &r, true
}

func plainHead(head string) bool {
	head = strings.TrimRight(head, "\n")
	if strings.HasPrefix(head, "ref: refs/heads/") {
		return true
	}
	_, err := ParseOID(head)
	return err == nil
}

// plainConfig is what discovery needs of a repository's configuration.
type plainConfig struct {
	fileMode    bool // core.fileMode
	perWorktree bool // extensions.worktreeConfig
	unusual     bool // something decides where or what the repository is
}

// ownConfig reads the repository's configuration and, where it has one, this
// worktree's. ok is false where only git can read it.
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

// read takes in a configuration file. It is false when the file includes
// another, or says something about modes that is not simply true or false.
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
	case name == "sharedrepository":
		return false
	case extensions, name == "worktree", name == "bare" && !off:
		c.unusual = true
	}
	return true
}

// afterHeader drops a section header; a variable may follow on its line.
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
