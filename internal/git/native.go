package git

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
)

// discoverNative looks upwards for a plain `.git` folder. known is false when
// only git can tell; a nil Repo with known means there is surely none.
func discoverNative(dir string) (r *Repo, known bool) {
	for {
		dot := filepath.Join(dir, ".git")
		fi, err := os.Lstat(dot)
		switch {
		case err == nil:
			if !fi.IsDir() || !ownedByUs(fi) {
				return nil, false
			}
			return ordinary(dir, dot)
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

// ordinary accepts dot only if git would, and if its configuration can mean
// nothing unusual. A `.git` that git does not accept makes it look further up.
func ordinary(top, dot string) (*Repo, bool) {
	fi, err := os.Lstat(top)
	if err != nil || !ownedByUs(fi) {
		return nil, false
	}
	for _, name := range []string{"objects", "refs"} {
		if fi, err := os.Stat(filepath.Join(dot, name)); err != nil || !fi.IsDir() {
			return nil, false
		}
	}
	head, err := os.ReadFile(filepath.Join(dot, "HEAD"))
	if err != nil || !plainHead(string(head)) {
		return nil, false
	}
	cfg, err := os.ReadFile(filepath.Join(dot, "config"))
	if err != nil {
		return nil, false
	}
	mode, known := ordinaryConfig(string(cfg))
	return &Repo{Top: top, GitDir: dot, CommonDir: dot, FileMode: mode}, known
}

func plainHead(head string) bool {
	head = strings.TrimRight(head, "\n")
	if strings.HasPrefix(head, "ref: refs/heads/") {
		return true
	}
	_, err := ParseOID(head)
	return err == nil
}

// ordinaryConfig reads core.fileMode from a repository's configuration. known is
// false when there is anything in it that native discovery does not deal with,
// or might be.
func ordinaryConfig(cfg string) (fileMode, known bool) {
	for line := range strings.Lines(strings.ToLower(cfg)) {
		name, _, _ := strings.Cut(afterHeader(strings.TrimSpace(line)), "=")
		switch strings.TrimSpace(name) {
		case "worktree", "objectformat", "worktreeconfig":
			return true, false
		}
		if strings.HasPrefix(strings.TrimSpace(line), "[extensions") {
			return true, false
		}
	}
	return plainConfig(cfg)
}

// ownConfig is the text of the repository's configuration and, where it has one,
// this worktree's.
func (r *Repo) ownConfig() (cfg string, ok bool) {
	common, err := os.ReadFile(filepath.Join(r.CommonDir, "config"))
	if err != nil {
		return "", false
	}
	own, err := os.ReadFile(filepath.Join(r.GitDir, "config.worktree"))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return "", false
	}
	return string(common) + "\n" + string(own), true
}

// plainConfig reads core.fileMode from the text of a configuration; plain is
// false when the text includes another, or says something about modes that is
// not simply true or false.
func plainConfig(cfg string) (fileMode, plain bool) {
	fileMode = true
	for line := range strings.Lines(strings.ToLower(cfg)) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "[include") {
			return true, false
		}
		name, value, _ := strings.Cut(afterHeader(line), "=")
		value = strings.TrimSpace(value)
		switch strings.TrimSpace(name) {
		case "sharedrepository":
			return true, false
		case "bare":
			if value != "false" {
				return true, false
			}
		case "filemode":
			if value != "true" && value != "false" {
				return true, false
			}
			fileMode = value == "true"
		}
	}
	return fileMode, true
}

// afterHeader drops a section header; a variable may follow on its line.
func afterHeader(line string) string {
	if !strings.HasPrefix(line, "[") {
		return line
	}
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
