package configcmd

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"entire/internal/cli/cliui"
	"entire/internal/cli/workplace"
	"entire/internal/config"
)

// find returns the setting that a name stands for, or an error that names those like it.
func find(name string) (config.Setting, string, error) {
	s, key, ok := config.Find(name)
	if ok {
		return s, key, nil
	}
	hint := "`entire config list` lists them"
	if group := strings.TrimPrefix(name, "strategy_options."); isGroup(group) {
		hint = "it is a group; `entire config list " + group + "` lists its settings"
	} else if like := nearest(name); len(like) > 0 {
		hint = "did you mean " + strings.Join(like, " or ") + "?"
	}
	return s, "", cliui.Failf(hint, "no such setting: %s", cliui.ShownLine(name))
}

// isGroup reports whether settings stand below a name.
func isGroup(name string) bool {
	return slices.ContainsFunc(config.Table, func(s config.Setting) bool { return strings.HasPrefix(s.Name(), name+".") })
}

// nearest returns at most three names like a mistyped one, or those that have it as a part.
func nearest(name string) (like []string) {
	var names []string
	for _, s := range config.Table {
		if !s.Foreign() {
			names = append(names, strings.TrimSuffix(s.Name(), ".*"))
		}
	}
	typed := strings.TrimPrefix(name, "strategy_options.")
	if like := cliui.Alike(names, typed); len(like) > 0 {
		return like
	}
	last := typed[strings.LastIndexByte(typed, '.')+1:]
	for _, n := range names {
		own := n[strings.LastIndexByte(n, '.')+1:]
		if len(like) < 3 && (own == last || len(last) > 4 && len(cliui.Alike([]string{own}, last)) > 0) {
			like = append(like, n)
		}
	}
	return like
}

func runSet(env *cliui.Env, place config.Place, name string, values []string) error {
	t, err := targetFor(env, place, name)
	if err != nil {
		return err
	}
	raw, err := parse(t.s, t.key, values)
	if err != nil {
		return err
	}
	shadowed, err := t.shadows()
	if err == nil {
		err = t.write(raw)
	}
	if err != nil {
		return cliui.ToCorrect("%w", err)
	}
	fmt.Fprintf(env.Out, "Set %s to %s in %s.\n", t.name(), shown(raw), t.file())
	if len(shadowed) > 0 {
		fmt.Fprintf(env.Err, "warning: your file's %s counts as a whole now: what the project sets of %s does not count here. Set that in your file, too, if you want it.\n",
			strings.SplitN(t.name(), ".", 2)[0], strings.Join(shadowed, ", "))
	}
	t.tellHooks(env)
	return t.tellIfIgnored(env)
}

func runUnset(env *cliui.Env, place config.Place, name string) error {
	t, err := targetFor(env, place, name)
	if err != nil {
		return err
	}
	err = t.write(nil)
	if errors.Is(err, config.ErrNotSet) {
		return cliui.Failf("`entire config list --changed` shows what stands where", "%s is not set in %s", t.name(), t.file())
	}
	if err != nil {
		return cliui.ToCorrect("%w", err)
	}
	fmt.Fprintf(env.Out, "Took %s out of %s.\n", t.name(), t.file())
	t.tellHooks(env)
	return nil
}

// A target is a setting and the file to write it in.
type target struct {
	s         config.Setting
	key       string
	place     config.Place
	top, data string
	worktree  string
}

// targetFor returns where to write a setting, or why it cannot be written there.
func targetFor(env *cliui.Env, place config.Place, name string) (t target, err error) {
	if t.s, t.key, err = find(name); err != nil {
		return t, err
	}
	switch {
	case t.s.By != "":
		return t, cliui.Failf("`"+t.s.By+"` changes it", "%s is not changed here, because more than a file depends on it", t.name())
	case t.s.Foreign():
		return t, cliui.Failf("set strategy_options.commit_linking", "%s is a setting of other versions, which is only read", t.name())
	}
	t.place = place
	if place == 0 {
		t.place = config.InLocal
		if t.s.In&config.InLocal == 0 {
			t.place = t.s.In
		}
	}
	if t.s.In&t.place == 0 {
		return t, refuse(t)
	}
	p, data, err := here(env)
	if err != nil {
		return t, err
	}
	t.top, t.data, t.worktree = p.Settings, data, p.Top
	switch {
	case t.place == config.InUser && data == "":
		return t, cliui.Failf("set HOME or XDG_DATA_HOME", "the home directory is unknown")
	case t.place != config.InUser && t.top == "":
		return t, cliui.Failf("run `entire enable` first", "Entire is not set up here")
	}
	return t, t.outOfSparse(p)
}

// refuse says why a setting cannot stand in a place.
func refuse(t target) error {
	why := t.s.Why
	if why == "" {
		why = "it is a setting of a repository"
	}
	flags := map[string]string{config.FromProject: "--project", config.FromLocal: "--local", config.FromUser: "--user"}
	var possible []string
	for _, name := range places(t.s.In) {
		possible = append(possible, flags[name])
	}
	return cliui.Failf("use "+strings.Join(possible, " or "), "%s does not count in the %s's file: %s", t.name(),
		map[config.Place]string{config.InProject: "project", config.InLocal: "repository", config.InUser: "user"}[t.place], why)
}

// outOfSparse writes the person's own file where it is, if a sparse checkout leaves out the project's and a copy
// of both counts.
func (t *target) outOfSparse(p workplace.Place) error {
	if t.place == config.InUser || p.Settings == p.Top || !strings.HasSuffix(filepath.ToSlash(p.Settings), "/entire/settings") {
		return nil
	}
	if t.place == config.InProject {
		return cliui.Failf("`git sparse-checkout add .entire` first", "the project's settings are not in the worktree: a sparse checkout leaves them out")
	}
	t.top = p.Top
	return nil
}

func (t target) name() string { return cliui.ShownLine(strings.TrimPrefix(t.key, "strategy_options.")) }

// file returns the file's path for people.
func (t target) file() string {
	switch {
	case t.place == config.InUser && strings.HasPrefix(t.key, "global."):
		return cliui.ShownLine(config.GlobalPath(t.data))
	case t.place == config.InUser:
		return cliui.ShownLine(filepath.Join(t.data, "retention.json"))
	}
	return cliui.ShownLine(cliui.ShownPath(t.worktree, config.Path(t.top, t.target())))
}

func (t target) target() config.Target {
	if t.place == config.InProject {
		return config.Project
	}
	return config.Local
}

// write sets the value, or takes the setting out for nil.
func (t target) write(raw json.RawMessage) error {
	switch {
	case t.place == config.InUser && raw == nil:
		return config.UnsetUserKey(t.data, t.s, t.key)
	case t.place == config.InUser:
		return config.SetUserKey(t.data, t.s, t.key, raw)
	case raw == nil:
		return config.UnsetKey(t.top, t.target(), t.s, t.key)
	}
	return config.SetKey(t.top, t.target(), t.s, t.key, raw)
}

// shadows returns the project's settings that stop counting.
func (t target) shadows() ([]string, error) {
	if t.place != config.InLocal {
		return nil, nil
	}
	return config.Shadowed(t.top, t.s)
}

// tellHooks says so if agents' hooks here are not those that the settings need now.
func (t target) tellHooks(env *cliui.Env) {
	s, err := config.Load(t.top)
	if t.place == config.InUser || !config.Readable(err) || !s.Enabled {
		return
	}
	var names []string
	for _, ag := range workplace.InstalledAgents(t.worktree) {
		if workplace.NeedsHooks(t.worktree, ag, s) {
			names = append(names, string(ag.Type()))
		}
	}
	if len(names) > 0 {
		fmt.Fprintf(env.Err, "Next: `entire enable` gives %s the hooks that this needs.\n", cliui.Enumerated(names))
	}
}

// tellIfIgnored says so if what was written does not count.
func (t target) tellIfIgnored(env *cliui.Env) error {
	all, err := config.Values(t.top, t.data)
	if err != nil {
		return cliui.ToCorrect("%w", err)
	}
	from := places(t.place)[0]
	for _, v := range all {
		if v.Setting.Key == t.s.Key && v.From == from && v.Ignored != "" && cliui.ShownLine(v.Name) == t.name() {
			fmt.Fprintf(env.Err, "warning: it does not count here: %s.\n", cliui.ShownLine(v.Ignored))
		}
	}
	return nil
}
