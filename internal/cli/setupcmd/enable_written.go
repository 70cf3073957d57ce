package setupcmd

import (
	"context"
	"fmt"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"entire/agent"
	"entire/hooks"
	"entire/internal/cli/cliui"
	"entire/internal/cli/workplace"
	"entire/internal/config"
)

// A fileVersion is a file that enable may write, with its content before that; nil for no file.
type fileVersion struct {
	path string
	text []byte
}

// beforeEnable reads the files that enable may write: the agents' settings, Entire's, and git's
// hooks.
func beforeEnable(ctx context.Context, wp *workplace.Workplace, list []agent.Agent) []fileVersion {
	top := wp.Repo.Top
	paths := []string{config.Path(top, config.Project), config.Path(top, config.Local), filepath.Join(top, ".entire", ".gitignore")}
	var hookFiles []string
	for _, ag := range list {
		for _, file := range ag.Profile().HookFiles {
			hookFiles = append(hookFiles, filepath.Join(top, filepath.FromSlash(file.Path)))
		}
	}
	paths = append(hookFiles, paths...)
	if target, err := hooks.Locate(ctx, wp.Repo); err == nil {
		for _, name := range hooks.Names() {
			paths = append(paths, filepath.Join(target.Dir, name))
		}
	}
	versions := make([]fileVersion, len(paths))
	for i, name := range paths {
		text, _, _ := workplace.ReadOptional(name, 0)
		versions[i] = fileVersion{name, text}
	}
	return versions
}

// changedSince returns the files whose content has changed, with paths relative to the worktree's
// top where they are below it.
func changedSince(top string, before []fileVersion) []string {
	var names []string
	for _, v := range before {
		if text, _, err := workplace.ReadOptional(v.path, 0); err == nil && text != nil && string(text) != string(v.text) {
			names = append(names, cliui.ShownPath(top, v.path))
		}
	}
	return names
}

// tellWritten says which files enable wrote and what a person does next. Git's own folders, in own, are not to be added.
func tellWritten(env *cliui.Env, list []agent.Agent, names, own []string) {
	var lines []string
	shared := map[string]bool{}
	for _, name := range names {
		dir := path.Dir(name)
		if !slices.ContainsFunc(append(own, ".git/"), func(git string) bool { return strings.HasPrefix(name, git) }) && !path.IsAbs(dir) && name != cliui.SettingsName(config.Local) {
			shared[strings.SplitN(name, "/", 2)[0]] = true
		}
		if last := len(lines) - 1; last >= 0 && dir != ".entire" && strings.HasPrefix(lines[last], dir+"/") {
			lines[last] += ", " + path.Base(name)
			continue
		}
		lines = append(lines, name)
	}
	for i, line := range lines {
		label := "Wrote: "
		if i > 0 {
			label = "       "
		}
		fmt.Fprintln(env.Out, label+cliui.ShownLine(line))
	}
	if len(shared) > 0 {
		fmt.Fprintf(env.Out, "Next:  git add %s && git commit -m \"Use Entire\"\n", strings.Join(slices.Sorted(maps.Keys(shared)), " "))
	}
	fmt.Fprintf(env.Out, "Work with %s and commit as always; `entire status` shows what is saved.\n", cliui.Enumerated(typesOf(list)))
}
