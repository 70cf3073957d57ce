package config

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"

	"entire/internal/durable"
)

// Place names the git that reads the configuration, and its repository.
type Place struct {
	Env               []string // the environment of git
	Program           string   // the absolute path of git
	CommonDir, GitDir string
}

// Config is what the files of git's configuration say.
type Config struct {
	place   Place
	home    string
	user    string   // the folder of the user's files of git, $XDG_CONFIG_HOME/git
	systems []string // folders that may have files for everybody on the machine
	entries []entry
}

// An entry is one variable of a file.
type entry struct {
	key, value string
	sure       bool // git certainly reads it, with this value
}

const (
	fileMax     = 1 << 20
	includesMax = 10 // as in git
)

// Read reads the configuration of a git. ok is false if only git can read it.
func Read(p Place) (c *Config, ok bool) {
	c = &Config{place: p, home: p.env("HOME")}
	if runtime.GOOS == "windows" || !filepath.IsAbs(c.home) || slices.ContainsFunc(p.Env, unusual) {
		return nil, false
	}
	c.user = filepath.Join(c.home, ".config", "git")
	if dir := p.env("XDG_CONFIG_HOME"); dir != "" {
		c.user = filepath.Join(dir, "git")
	}
	if c.systems, ok = p.systems(); !ok {
		return nil, false
	}
	return c, c.readSystem() && c.readUser() && c.readRepository()
}

// unusual reports whether a variable adds to the configuration, or names no file for it.
func unusual(variable string) bool {
	return strings.HasPrefix(variable, "GIT_CONFIG_PARAMETERS=") || strings.HasPrefix(variable, "GIT_CONFIG_COUNT=") ||
		variable == "GIT_CONFIG_GLOBAL=" || variable == "GIT_CONFIG_SYSTEM="
}

func (p Place) env(name string) string {
	value, _ := p.lookup(name)
	return value
}

func (p Place) lookup(name string) (value string, set bool) {
	for i := len(p.Env) - 1; i >= 0; i-- {
		if value, ok := strings.CutPrefix(p.Env[i], name+"="); ok {
			return value, true
		}
	}
	return "", false
}

// appleGit is a program that finds the real git in a way of its own.
const appleGit = "/usr/bin/git"

// systems returns the folders in which a git may have its files for the whole machine: it
// was built for one that is below a folder above the program. ok is false if the program
// may start another git: Apple's, a script, or a program that has another name.
func (p Place) systems() (dirs []string, ok bool) {
	program, err := filepath.EvalSymlinks(p.Program)
	if err != nil || runtime.GOOS == "darwin" && program == appleGit || filepath.Base(program) != "git" || isScript(program) {
		return nil, false
	}
	for _, dir := range []string{filepath.Dir(program), p.env("GIT_EXEC_PATH")} {
		for ; filepath.IsAbs(dir); dir = filepath.Dir(dir) {
			dirs = append(dirs, filepath.Join(dir, "etc"), filepath.Join(dir, "share", "git-core"))
			if dir == filepath.Dir(dir) {
				break
			}
		}
	}
	return dirs, true
}

func isScript(program string) bool {
	f, err := durable.Open(program)
	if err != nil {
		return true
	}
	defer f.Close()
	var magic [2]byte
	_, err = io.ReadFull(f, magic[:])
	return err != nil || string(magic[:]) == "#!"
}

// readSystem reads each file that may be git's own: what they say is not certain.
func (c *Config) readSystem() bool {
	switch strings.ToLower(c.place.env("GIT_CONFIG_NOSYSTEM")) {
	case "1", "true", "yes", "on":
		return true
	}
	if file := c.place.env("GIT_CONFIG_SYSTEM"); file != "" {
		return c.read(file, true, 0)
	}
	for _, dir := range c.systems {
		if !c.read(filepath.Join(dir, "gitconfig"), false, 0) {
			return false
		}
	}
	return true
}

func (c *Config) readUser() bool {
	if file := c.place.env("GIT_CONFIG_GLOBAL"); file != "" {
		return c.read(file, true, 0)
	}
	return c.read(filepath.Join(c.user, "config"), true, 0) && c.read(filepath.Join(c.home, ".gitconfig"), true, 0)
}

func (c *Config) readRepository() bool {
	if !c.read(filepath.Join(c.place.CommonDir, "config"), true, 0) {
		return false
	}
	on, set, sure := c.Last("extensions.worktreeconfig")
	return !set || c.read(filepath.Join(c.place.GitDir, "config.worktree"), sure && on == "true", 0)
}

// read adds the variables of a file, if there is one, and of those that it includes. One
// that it includes on a condition may or may not count. A relative path is left to git, which may run in another folder.
func (c *Config) read(file string, sure bool, depth int) bool {
	if file == os.DevNull {
		return true
	}
	if !filepath.IsAbs(file) {
		return false
	}
	text, err := durable.Read(file, fileMax)
	if isAbsent(err) {
		return true
	}
	if err != nil || depth > includesMax {
		return false
	}
	understood := true
	return parse(string(text), func(key, value string, exact bool) {
		c.entries = append(c.entries, entry{key, value, sure && exact})
		always, sometimes := key == "include.path", strings.HasPrefix(key, "includeif.") && strings.HasSuffix(key, ".path")
		if always || sometimes {
			path, ok := c.Path(value, filepath.Dir(file))
			understood = understood && exact && ok && c.read(path, sure && always, depth+1)
		}
	}) && understood
}

func isAbsent(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
}

// Path returns the path that a value names, from a folder if it is relative. ok is false if
// only git knows it.
func (c *Config) Path(value, from string) (path string, ok bool) {
	if below, home := strings.CutPrefix(value, "~/"); home {
		return filepath.Join(c.home, below), true
	}
	if value == "" || value[0] == '~' || value[0] == '%' || strings.HasPrefix(value, ":(optional)") {
		return "", false
	}
	if filepath.IsAbs(value) {
		return value, true
	}
	return filepath.Join(from, value), filepath.IsAbs(from)
}

// Last returns the value of a variable: the last one counts. sure is false if only git can
// tell it, or whether it is set.
func (c *Config) Last(key string) (value string, set, sure bool) {
	sure = true
	for _, e := range c.entries {
		if e.key == key {
			value, set, sure = e.value, true, e.sure
		}
	}
	return value, set, sure
}

// Values returns the values of those of some variables that are set. ok is false if only git can tell; a variable
// of a subsection, whose name has case, is left to git.
func (c *Config) Values(keys []string) (values map[string]string, ok bool) {
	values = map[string]string{}
	for _, k := range keys {
		value, set, sure := c.Last(k)
		if !sure || strings.Count(k, ".") != 1 {
			return nil, false
		}
		if set {
			values[k] = value
		}
	}
	return values, true
}

// all returns each value that a variable may have.
func (c *Config) all(key string) (values []string) {
	for _, e := range c.entries {
		if e.key == key {
			values = append(values, e.value)
		}
	}
	return values
}

// Mentions reports whether a file has a text as a value, as hooks in the configuration do.
func (c *Config) Mentions(value string) bool {
	for _, e := range c.entries {
		if e.value == value {
			return true
		}
	}
	return false
}
