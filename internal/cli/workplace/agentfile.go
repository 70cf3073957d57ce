package workplace

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"

	"entire/agent"
	"entire/agent/agents"
	"entire/internal/cli/cliui"
	"entire/internal/config"
	"entire/internal/durable"
	"entire/session"
)

// An AgentEdit is a planned change of an agent's hook files.
type AgentEdit struct {
	files       []fileEdit
	top, record string
	Count       int // hooks added or removed
}

type fileEdit struct {
	name     string // relative to the top
	path     string
	old, new []byte // nil: no such file
	mode     fs.FileMode
	folder   string // the deepest of its folders that is there, relative to the top
}

// PlanAgentHooks plans the installation of an agent's hooks below top.
func PlanAgentHooks(top string, ag agent.Agent, opts agent.InstallOptions) (AgentEdit, error) {
	return planEdit(top, foldersRecord(top), ag.Profile().HookFiles, func(path string, src []byte) ([]byte, int, error) { return ag.Install(path, src, opts) })
}

// PlanAgentRemoval plans the removal of an agent's hooks below top.
func PlanAgentRemoval(top string, ag agent.Agent) (AgentEdit, error) {
	return planEdit(top, foldersRecord(top), ag.Profile().HookFiles, ag.Uninstall)
}

// PlanUserHooks plans the installation of an agent's hooks for all repositories, below home. data is the
// user's data directory.
func PlanUserHooks(home, data string, ag agent.Agent, opts agent.InstallOptions) (AgentEdit, error) {
	return planEdit(home, filepath.Join(data, "folders"), ag.Profile().UserHookFiles, func(path string, src []byte) ([]byte, int, error) { return ag.Install(path, src, opts) })
}

// PlanUserHooksRemoval plans the removal of these hooks.
func PlanUserHooksRemoval(home, data string, ag agent.Agent) (AgentEdit, error) {
	return planEdit(home, filepath.Join(data, "folders"), ag.Profile().UserHookFiles, ag.Uninstall)
}

// PlanStatusLine plans what change makes of the file, below home, in which an agent's user names a status
// line.
func PlanStatusLine(home, data string, shower agent.StatusLineShower, change func(src []byte) ([]byte, int, error)) (AgentEdit, error) {
	return planEdit(home, filepath.Join(data, "folders"), []agent.HookFile{shower.StatusLineFile()},
		func(_ string, src []byte) ([]byte, int, error) { return change(src) })
}

// PlanFile plans what change makes of one file below the top of a repository.
func PlanFile(top, path string, change func(src []byte) ([]byte, int, error)) (AgentEdit, error) {
	edit, err := planEdit(top, foldersRecord(top), []agent.HookFile{{Path: path}},
		func(_ string, src []byte) ([]byte, int, error) { return change(src) })
	for i := range edit.files {
		if edit.files[i].old == nil {
			edit.files[i].mode = 0o644
		}
	}
	return edit, err
}

// planEdit plans what change makes of the hook files below top.
func planEdit(top, record string, files []agent.HookFile, change func(path string, src []byte) ([]byte, int, error)) (AgentEdit, error) {
	edit := AgentEdit{top: top, record: record}
	for _, file := range files {
		path, err := durable.Within(top, file.Path)
		if err != nil {
			return edit, err
		}
		e := fileEdit{name: file.Path, path: path, mode: 0o600, folder: standingFolder(top, file.Path)}
		if file.Executable {
			e.mode = 0o755
		}
		if e.old, e.mode, err = ReadOptional(path, e.mode); err != nil {
			return edit, err
		}
		var count int
		if e.new, count, err = change(file.Path, e.old); err != nil {
			return edit, fmt.Errorf("edit %s: %w", file.Path, err)
		}
		edit.files, edit.Count = append(edit.files, e), edit.Count+count
	}
	return edit, nil
}

// ReadOptional returns a file's content and mode; for an absent file, nil and the given mode.
func ReadOptional(path string, mode fs.FileMode) ([]byte, fs.FileMode, error) {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, mode, nil
	}
	if err != nil {
		return nil, 0, err
	}
	data, err := durable.ReadPlain(path, agent.MaxSettings)
	return data, info.Mode().Perm(), err
}

// Apply writes the files whose content changes. Where a file is removed, it also removes the folders of
// its path that are empty then and were not there before the hooks.
func (e AgentEdit) Apply() error {
	var removed []string
	isNew := !slices.ContainsFunc(e.files, func(f fileEdit) bool { return f.old != nil })
	for _, file := range e.files {
		if isNew && file.new != nil && file.folder != "" && e.record != "" {
			if err := os.MkdirAll(filepath.Join(e.record, filepath.FromSlash(file.folder)), 0o750); err != nil {
				return err
			}
		}
		if err := file.apply(); err != nil {
			return err
		}
		if file.new == nil && file.old != nil {
			removed = append(removed, file.name)
		}
	}
	removeFolders(e.top, e.record, removed)
	return nil
}

// Changed returns the files that Apply writes and those that it removes, relative to the top.
func (e AgentEdit) Changed() (written, removed []string) {
	for _, file := range e.files {
		switch {
		case file.same():
		case file.new == nil:
			removed = append(removed, file.name)
		default:
			written = append(written, file.name)
		}
	}
	return written, removed
}

func (e fileEdit) same() bool {
	return e.new == nil && e.old == nil || e.new != nil && e.old != nil && string(e.new) == string(e.old)
}

// apply writes the file if its content changes, or removes it.
func (e fileEdit) apply() error {
	switch {
	case e.same():
		return nil
	case e.new == nil:
		return durable.Remove(e.path)
	}
	return durable.WriteFile(e.path, e.new, e.mode)
}

// InstalledAgents returns the agents whose hooks are in the settings files below top.
func InstalledAgents(top string) []agent.Agent {
	var found []agent.Agent
	for _, ag := range agents.All() {
		path := ag.Profile().HookFile()
		if path == "" {
			continue
		}
		if src, err := durable.ReadWithin(top, path, agent.MaxSettings); err == nil && ag.Installed(src) {
			found = append(found, ag)
		}
	}
	return found
}

// CallsByItself reports whether an agent without a settings file has worked in this repository:
// such an agent calls the hooks itself, and none are installed for it.
func CallsByItself(ctx context.Context, wp *Workplace) bool {
	states, _, err := wp.Store.List(ctx)
	return err == nil && slices.ContainsFunc(states, func(st *session.State) bool {
		return agents.For(st.AgentType).Profile().HookFile() == ""
	})
}

func FileExists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

func AgentNames() []string {
	var names []string
	for _, ag := range agents.All() {
		names = append(names, string(ag.Name()))
	}
	return names
}

// ToolHooks returns the tool hooks that the settings need. A hook before a command filters by itself what this
// program has to look at, in the shell that the agent starts for it; but not if a person refuses commands of
// their own choice, and not on Windows, where that shell is not known.
func ToolHooks(s config.Settings) agent.ToolHooks {
	c := s.Checkpoints()
	return agent.ToolHooks{Before: c.BeforeTools, After: c.AfterTools, Shell: c.BeforeRisky || len(s.Deny) > 0, Changes: c.Paced(),
		Everything: len(s.Deny) > 0, NoFilter: runtime.GOOS == "windows"}
}

// NeedsHooks reports whether the settings ask for other hooks of an agent than those below top.
func NeedsHooks(top string, ag agent.Agent, s config.Settings) bool {
	edit, err := PlanAgentHooks(top, ag, agent.InstallOptions{LocalDev: s.LocalDev, Tools: ToolHooks(s)})
	return err == nil && edit.Count > 0
}

// AgentHooksComplete reports whether the installed agents have all hooks that the settings need:
// those that an older version installed may lack some. An agent whose settings cannot be read
// counts as complete.
func AgentHooksComplete(wp *Workplace) bool {
	for _, ag := range InstalledAgents(wp.Repo.Top) {
		complete := false
		for _, localDev := range []bool{wp.Settings.LocalDev, !wp.Settings.LocalDev} {
			edit, err := PlanAgentHooks(wp.Repo.Top, ag, agent.InstallOptions{LocalDev: localDev, Tools: ToolHooks(wp.Settings)})
			complete = complete || err != nil || edit.Count == 0
		}
		if !complete {
			return false
		}
	}
	return true
}

// ReadHookFile returns the content of an agent's hook file below top, nil if there is none.
func ReadHookFile(top string, file agent.HookFile) ([]byte, error) {
	path, err := durable.Within(top, file.Path)
	if err != nil {
		return nil, err
	}
	src, _, err := ReadOptional(path, 0)
	return src, err
}

// LoadSettings returns the settings at p. It returns an error only if they cannot be read at all.
func LoadSettings(p Place) (config.Settings, error) {
	settings, err := config.Load(p.Settings)
	UseRedaction(settings)
	var wrong config.WrongValues
	if err != nil && !errors.As(err, &wrong) {
		return settings, cliui.ToCorrect("%w", err)
	}
	return settings, nil
}
