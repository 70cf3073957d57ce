package hooks

import (
	"path/filepath"
	"slices"
	"strings"

	"entire/internal/durable"
)

// placesPath is the file that lists all directories in which hooks were ever written:
// core.hooksPath may have changed by the time of their removal.
func (t Target) placesPath() string { return filepath.Join(t.CommonDir, "entire", "hooks.dirs") }

// remember adds the directory to the list, after something was written into it.
func (t Target) remember(report Report) error {
	if len(report.Written) == 0 {
		return nil
	}
	noted := t.noted()
	if slices.Contains(noted, t.Dir) || strings.ContainsAny(t.Dir, "\r\n") {
		return nil
	}
	text := strings.Join(append(noted, t.Dir), "\n") + "\n"
	return durable.WriteFile(t.placesPath(), []byte(text), 0o600)
}

func (t Target) noted() []string {
	data, err := durable.ReadOwn(t.placesPath())
	if err != nil {
		return nil
	}
	var dirs []string
	for line := range strings.Lines(string(data)) {
		if dir := strings.TrimRight(line, "\r\n"); filepath.IsAbs(dir) {
			dirs = append(dirs, dir)
		}
	}
	return dirs
}

// Places returns t and every other directory of the repository that contains a file of
// ours: where git looked before core.hooksPath was set, and the private directory of a
// linked worktree, where older tools wrote.
func Places(t Target) []Target {
	places := []Target{t}
	dirs := append([]string{filepath.Join(t.CommonDir, "hooks")}, t.noted()...)
	private, _ := filepath.Glob(filepath.Join(escapeGlob(t.CommonDir), "worktrees", "*", "hooks"))
	for _, dir := range append(dirs, private...) {
		other := Target{Dir: dir, Top: t.Top, CommonDir: t.CommonDir}
		same := func(p Target) bool { return durable.Resolve(p.Dir) == durable.Resolve(dir) }
		if !slices.ContainsFunc(places, same) && other.anything() {
			places = append(places, other)
		}
	}
	return places
}

func escapeGlob(path string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(path)
}

// Present reports whether the directory contains one of our hooks, or one that was set
// aside, in whatever state.
func Present(t Target) bool { return t.place() != shared && t.anything() }
