package hooks

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"entire/internal/durable"
)

// Uninstall removes our scripts and restores the earlier hooks. If there are two for one
// name, it restores the newer one, which git would run without entire, and the Report
// names the other. It does not change other people's hooks that call entire.
func Uninstall(ctx context.Context, t Target) (Report, error) {
	var report Report
	if !t.anything() {
		return report, nil
	}
	if t.place() == shared {
		report.Warnings = append(report.Warnings, fmt.Sprintf("The hooks in %s may serve other repositories and were left alone.", t.Dir))
		return report, nil
	}
	lock, err := durable.Acquire(ctx, t.lockPath())
	if err != nil {
		return report, fmt.Errorf("uninstall hooks: %w", err)
	}
	defer lock.Release()
	for _, name := range Names() {
		if err := t.uninstall(name, &report); err != nil {
			return report, fmt.Errorf("uninstall hook %s: %w", name, err)
		}
	}
	return report, nil
}

// anything reports whether a file in the directory is ours or was set aside by Install.
func (t Target) anything() bool {
	for _, name := range Names() {
		for _, slot := range append(movedTo(name), name, name+legacySuffix) {
			if hook, err := readHook(filepath.Join(t.Dir, slot)); err == nil && hook.ours() {
				return true
			}
		}
		if len(backups(t.Dir, name)) > 0 {
			return true
		}
	}
	return false
}

// uninstall removes one hook; the caller holds the lock.
func (t Target) uninstall(name string, report *Report) error {
	if err := t.dropMoved(name); err != nil {
		return err
	}
	slot, hook, err := t.slot(name)
	if err != nil {
		return err
	}
	if slot != name {
		if err := t.dropSuperseded(name); err != nil {
			return err
		}
	}
	path, taken := filepath.Join(t.Dir, slot), backups(t.Dir, name)
	switch {
	case hook.exists && !hook.ours():
		return t.keepForeign(name, hook, taken, report)
	case hook.edited():
		kept, err := setAside(path, hook)
		if err != nil {
			return fmt.Errorf("keep edited hook: %w", err)
		}
		report.Warnings = append(report.Warnings, fmt.Sprintf("The %s hook was edited; your version is kept as %s.", name, kept))
	}
	if hook.exists {
		report.Removed = append(report.Removed, name)
	}
	if len(taken) == 0 {
		return durable.Remove(path)
	}
	// Unlike a copy, a rename keeps links, owner and times.
	last := len(taken) - 1
	if err := os.Rename(filepath.Join(t.Dir, taken[last]), path); err != nil {
		return err
	}
	report.Restored = append(report.Restored, name)
	for _, older := range taken[:last] {
		report.Warnings = append(report.Warnings, fmt.Sprintf("An older %s hook is kept as %s and no longer runs.", name, older))
	}
	return nil
}

// dropSuperseded removes the backup of an older version of pre-commit's hook if a newer
// one is in place. Otherwise pre-commit would run the older one.
func (t Target) dropSuperseded(name string) error {
	for _, backup := range backups(t.Dir, name) {
		path := filepath.Join(t.Dir, backup)
		old, err := readHook(path)
		if err != nil {
			return err
		}
		if managerOf(old.content) == PreCommit {
			if err := durable.Remove(path); err != nil {
				return err
			}
		}
	}
	return nil
}

// slot returns where our script for name is: in its own place, or where pre-commit moved
// it. If there is none, it returns the own place.
func (t Target) slot(name string) (string, hookFile, error) {
	hook, err := readHook(filepath.Join(t.Dir, name))
	if err != nil || !hook.exists || hook.ours() {
		return name, hook, err
	}
	legacy, err := readHook(filepath.Join(t.Dir, name+legacySuffix))
	if err == nil && legacy.ours() {
		return name + legacySuffix, legacy, nil
	}
	return name, hook, nil
}

// keepForeign keeps a hook that replaced our script. It removes a backup that is equal, or
// that the same manager wrote.
func (t Target) keepForeign(name string, hook hookFile, taken []string, report *Report) error {
	for _, backup := range taken {
		path := filepath.Join(t.Dir, backup)
		old, err := readHook(path)
		if err != nil {
			return err
		}
		manager := managerOf(hook.content)
		if old.sameAs(hook) || manager != "" && managerOf(old.content) == manager {
			if err := durable.Remove(path); err != nil {
				return err
			}
			continue
		}
		report.Warnings = append(report.Warnings, fmt.Sprintf("Another %s hook is in place; the earlier one is kept as %s.", name, backup))
	}
	return nil
}
