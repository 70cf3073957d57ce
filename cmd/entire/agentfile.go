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

// An agentEdit is a change of an agent's settings file that is ready to be made.
type agentEdit struct {
	path     string
	old, new []byte // nil: no such file
	mode     fs.FileMode
	count    int // hooks added or removed
}

func planAgentHooks(top string, ag agent.Agent, opts agent.InstallOptions) (agentEdit, error) {
	return planAgentEdit(top, ag, func(src []byte) ([]byte, int, error) { return ag.Install(src, opts) })
}

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

// readOptional reads a file and its mode; an absent one is nil and keeps mode.
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

// apply writes the file, if it changes; one that should not be there is removed,
// with its folder if that holds nothing else.
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

// installedAgents are the agents whose hooks stand in the worktree's settings.
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

// callsByItself reports whether an agent without a file of settings has worked
// here: it needs no hooks of ours.
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
