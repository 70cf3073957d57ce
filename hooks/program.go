package hooks

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"entire/internal/durable"
)

// programPath is the file with the program's path, which the scripts read if PATH does not
// contain the program. It is one line, with forward slashes, so that the shell on Windows
// can read it, too.
func (t Target) programPath() string { return filepath.Join(t.CommonDir, "entire", "program") }

// record stores the program's path.
func (t Target) record(opts Options) error {
	if t.recorded(opts) {
		return nil
	}
	return durable.WriteFile(t.programPath(), []byte(programLine(opts)), 0o600)
}

// recorded reports whether there is nothing to store: no path is known, or it is stored
// already.
func (t Target) recorded(opts Options) bool {
	if opts.Program == "" || strings.ContainsAny(opts.Program, "\r\n") {
		return true
	}
	data, err := durable.ReadOwn(t.programPath())
	return err == nil && string(data) == programLine(opts)
}

// Recorded returns the program that the scripts run if PATH does not contain it, and
// whether it is there. name is "" if none is recorded.
func Recorded(t Target) (name string, there bool) {
	data, err := durable.ReadOwn(t.programPath())
	if err != nil {
		return "", false
	}
	name, _, _ = strings.Cut(string(data), "\n")
	info, err := os.Stat(name)
	return name, err == nil && info.Mode().IsRegular() && (runtime.GOOS == "windows" || info.Mode().Perm()&0o111 != 0)
}

func programLine(opts Options) string { return filepath.ToSlash(opts.Program) + "\n" }

// Outdated reports whether the git directory contains an unedited script of ours that
// differs from what Install would write, because another version wrote it. It ignores
// scripts in a worktree, which may be committed: they change only on request.
func Outdated(t Target, opts Options) bool {
	if t.place() != private {
		return false
	}
	for _, name := range Names() {
		hook, err := readHook(filepath.Join(t.Dir, name))
		if err == nil && intact(hook.content) && !hook.is(render(name, opts, t.chain(name))) {
			return true
		}
	}
	return false
}
