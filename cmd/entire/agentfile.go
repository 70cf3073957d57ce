package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"entire/agent"
	"entire/internal/durable"
	"entire/session"
)

// An agentEdit is a planned change of an agent's settings file.
type agentEdit struct {
	path     string
	old, new []byte // nil: no such file
	mode     fs.FileMode
	count    int // hooks added or removed
}

// planAgentHooks plans the installation of an agent's hooks below top.
func planAgentHooks(top string, ag agent.Agent, opts agent.InstallOptions) (agentEdit, error) {
	return planAgentEdit(top, ag, func(src []byte) ([]byte, int, error) { return ag.Install(src, opts) })
}

// planAgentEdit plans what change makes of the agent's settings file below top. It returns the
// zero edit for an agent without a settings file.
func planAgentEdit(top string, ag agent.Agent, change func([]byte) ([]byte, int, error)) (agentEdit, error) {
	if ag.SettingsPath() == "" {
		return agentEdit{}, nil
	}
	path, err := durable.Within(top, ag.SettingsPath())
	if err != nil {
		return agentEdit{}, err
	}
	e := agentEdit{path: path, mode: 0o600}
	if e.old, e.mode, err = readOptional(path, e.mode); err != nil {
		return e, err
	}
	if e.new, e.count, err = change(e.old); err != nil {
		return e, fmt.Errorf("edit %s: %w", ag.SettingsPath(), err)
	}
	return e, nil
}

// readOptional returns a file's content and mode; for an absent file, nil and the given mode.
func readOptional(path string, mode fs.FileMode) ([]byte, fs.FileMode, error) {
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

// apply writes the file if its content changes. Where new is nil it removes the file, and the
// file's folder if that is empty.
func (e agentEdit) apply() error {
	switch {
	case e.new == nil && e.old == nil, e.new != nil && e.old != nil && string(e.new) == string(e.old):
		return nil
	case e.new == nil:
		if err := durable.Remove(e.path); err != nil {
			return err
		}
		os.Remove(filepath.Dir(e.path)) // fails when not empty
		return nil
	}
	return durable.WriteFile(e.path, e.new, e.mode)
}

// installedAgents returns the agents whose hooks are in the settings files below top.
func installedAgents(top string) []agent.Agent {
	var found []agent.Agent
	for _, ag := range agent.All() {
		if ag.SettingsPath() == "" {
			continue
		}
		if src, err := durable.ReadWithin(top, ag.SettingsPath(), agent.MaxSettings); err == nil && ag.Installed(src) {
			found = append(found, ag)
		}
	}
	return found
}

// callsByItself reports whether an agent without a settings file has worked in this repository:
// such an agent calls the hooks itself, and none are installed for it.
func callsByItself(ctx context.Context, wp *workplace) bool {
	states, _, err := wp.store.List(ctx)
	return err == nil && slices.ContainsFunc(states, func(st *session.State) bool {
		return agent.For(st.AgentType).SettingsPath() == ""
	})
}

func fileExists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}
