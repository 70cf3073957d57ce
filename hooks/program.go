package hooks

import (
	"os"
	"path/filepath"
	"strings"

	"entire/internal/durable"
)

// programPath is where the scripts look for the program when PATH has it not. It is
// one line, a path with forward slashes, so that the shell on Windows reads it, too.
func (t Target) programPath() string { return filepath.Join(t.CommonDir, "entire", "program") }

// record notes the program's place.
func (t Target) record(opts Options) error {
	if t.recorded(opts) {
		return nil
	}
	return durable.WriteFile(t.programPath(), []byte(programLine(opts)), 0o600)
}

// recorded reports whether there is nothing to note: no place is known, or it is the
// one that is there.
func (t Target) recorded(opts Options) bool {
	if opts.Program == "" || strings.ContainsAny(opts.Program, "\r\n") {
		return true
	}
	data, err := os.ReadFile(t.programPath())
	return err == nil && string(data) == programLine(opts)
}

func programLine(opts Options) string { return filepath.ToSlash(opts.Program) + "\n" }

// Outdated reports whether a script in the git directory is one of ours that nobody has
// edited, and yet not what Install would write: another version wrote it. Of those in a
// worktree, which may be committed, it says nothing: they change when somebody asks.
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
