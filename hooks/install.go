package hooks

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"

	"entire/internal/durable"
)

// Report lists what Install or Uninstall did, by hook name, for people to read.
type Report struct {
	Written  []string // our scripts that were written
	Chained  []string // foreign hooks that were set aside and that our scripts run
	Removed  []string // our scripts that were removed
	Restored []string // foreign hooks that were restored
	Warnings []string // each a sentence
	Instruct string   // what the user must do by hand; "" for nothing
}

// Install writes the hooks where git looks for them, and changes nothing that is already
// correct: a second call writes no file. It does not touch a directory outside the
// repository; Report.Instruct then says what to do.
//
// ctx bounds the wait for another process that installs hooks.
func Install(ctx context.Context, t Target, opts Options) (Report, error) {
	var report Report
	switch t.place() {
	case shared:
		if Installed(t) != All {
			report.Instruct = t.instructShared()
		}
		return report, nil
	case committed:
		opts.LocalDev = false // everybody who clones the repository would run it
	}
	if t.settled(opts) {
		return report, nil
	}
	lock, err := durable.Acquire(ctx, t.lockPath())
	if err != nil {
		return report, fmt.Errorf("install hooks: %w", err)
	}
	defer lock.Release()
	if err := t.record(opts); err != nil {
		return report, fmt.Errorf("install hooks: record the program's place: %w", err)
	}
	for _, name := range Names() {
		err := t.install(name, opts, &report)
		if cannotWrite(err) {
			report.Instruct = t.instructReadOnly()
			return report, nil
		}
		if err != nil {
			return report, fmt.Errorf("install hook %s: %w", name, err)
		}
	}
	return report, t.remember(report)
}

// settled reports, without the lock, whether Install has nothing to do or say.
func (t Target) settled(opts Options) bool {
	if !t.recorded(opts) {
		return false
	}
	for _, name := range Names() {
		hook, err := readHook(filepath.Join(t.Dir, name))
		if err != nil || !hook.exists {
			return false
		}
		if !hook.ours() && t.delegated(name, hook) {
			continue
		}
		if !hook.is(render(name, opts, t.chain(name))) {
			return false
		}
	}
	return true
}

// is reports whether the file is our script, and executable.
func (h hookFile) is(script string) bool {
	return h.content == script && h.mode.IsRegular() && (h.mode.Perm() == 0o755 || runtime.GOOS == "windows")
}

// install installs one hook; the caller holds the lock.
func (t Target) install(name string, opts Options, report *Report) error {
	path := filepath.Join(t.Dir, name)
	hook, err := readHook(path)
	if err != nil {
		return err
	}
	switch {
	case !hook.exists:
	case hook.ours():
		if hook.edited() {
			kept, err := setAside(path, hook)
			if err != nil {
				return fmt.Errorf("keep edited hook: %w", err)
			}
			report.Warnings = append(report.Warnings, fmt.Sprintf("The %s hook was edited; your version is kept as %s and does not run.", name, kept))
		}
	case t.delegated(name, hook):
		return nil
	default:
		if _, ok := chainable(hook.content); !ok {
			report.Warnings = append(report.Warnings, fmt.Sprintf("The %s hook depends on its own name and was left alone.", name))
			report.Instruct += instruct(name)
			return nil
		}
		if err := t.backUp(name, hook, report); err != nil {
			return fmt.Errorf("back up: %w", err)
		}
	}
	script := render(name, opts, t.chain(name))
	if hook.is(script) {
		return nil
	}
	if err := durable.WriteFile(path, []byte(script), 0o755); err != nil {
		return err
	}
	report.Written = append(report.Written, name)
	return t.dropMoved(name)
}

// dropMoved removes our script from the places to which managers move the hooks that they
// find, once it is in its own place again: managers refuse to move a second one.
func (t Target) dropMoved(name string) error {
	for _, slot := range movedTo(name) {
		path := filepath.Join(t.Dir, slot)
		if hook, err := readHook(path); err == nil && hook.exists && hook.ours() && !hook.edited() {
			if err := durable.Remove(path); err != nil {
				return err
			}
		}
	}
	return nil
}

// cannotWrite reports whether the directory cannot be written, or is no directory.
func cannotWrite(err error) bool {
	return errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS) || errors.Is(err, syscall.ENOTDIR)
}

// backUp gives the foreign hook a backup's name. It keeps no second copy of an equal
// backup, and what a manager wrote again replaces what it wrote before.
func (t Target) backUp(name string, hook hookFile, report *Report) error {
	taken := backups(t.Dir, name)
	manager := managerOf(hook.content)
	for _, backup := range taken {
		old, err := readHook(filepath.Join(t.Dir, backup))
		if err != nil {
			return err
		}
		if old.sameAs(hook) {
			return nil
		}
		if manager != "" && managerOf(old.content) == manager {
			return t.replaceBackup(name, backup, hook)
		}
	}
	to := nextName(name+backupSuffix, taken)
	if err := duplicate(filepath.Join(t.Dir, name), filepath.Join(t.Dir, to), hook); err != nil {
		return err
	}
	report.Chained = append(report.Chained, name)
	return nil
}

func (t Target) replaceBackup(name, backup string, hook hookFile) error {
	path := filepath.Join(t.Dir, backup)
	if hook.mode&fs.ModeSymlink == 0 && hook.size <= maxHook {
		return durable.WriteFile(path, []byte(hook.content), hook.mode.Perm())
	}
	if err := os.Remove(path); err != nil {
		return err
	}
	return duplicate(filepath.Join(t.Dir, name), path, hook)
}

// chain returns the earlier hooks that were set aside for name, and how to run them.
func (t Target) chain(name string) []link {
	var chain []link
	for _, backup := range backups(t.Dir, name) {
		hook, err := readHook(filepath.Join(t.Dir, backup))
		if err != nil {
			continue
		}
		source, _ := chainable(hook.content)
		next := link{file: backup, source: source}
		if managerOf(hook.content) == PreCommit {
			next.guard = runningLegacy
		}
		chain = append(chain, next)
	}
	return chain
}

// instruct returns the line that a person should add to a hook.
func instruct(name string) string {
	return fmt.Sprintf("  %s: entire %s\n", name, commands[name])
}

func (t Target) instructReadOnly() string {
	var text strings.Builder
	fmt.Fprintf(&text, "The hooks in %s cannot be written, so commits are not linked. Let them be written, or add to each of them\n", t.Dir)
	for _, name := range slices.DeleteFunc(Names(), t.calls) {
		text.WriteString(instruct(name))
	}
	return text.String()
}

func (t Target) instructShared() string {
	hooks := filepath.Join(t.CommonDir, "hooks")
	if t.linkedOut() { // its hooks are there as long as git looks into it
		hooks = filepath.Join(t.CommonDir, "own-hooks")
	}
	own := fmt.Sprintf("git config core.hooksPath %s", quote(filepath.ToSlash(hooks)))
	if info, err := os.Stat(t.Dir); err == nil && !info.IsDir() {
		return fmt.Sprintf("core.hooksPath is %s, so git runs no hooks here and commits are not linked. To let this repository have hooks:\n  %s\n", t.Dir, own)
	}
	var text strings.Builder
	if t.linkedOut() {
		fmt.Fprintf(&text, "%s is a symbolic link to %s, outside this repository,", t.Dir, durable.Resolve(t.Dir))
	} else {
		fmt.Fprintf(&text, "core.hooksPath is %s, outside this repository,", t.Dir)
	}
	text.WriteString(" so the hooks there were left alone. Add to each of them\n")
	for _, name := range slices.DeleteFunc(Names(), t.calls) {
		text.WriteString(instruct(name))
	}
	fmt.Fprintf(&text, "or give this repository its own hooks:\n  %s\n", own)
	return text.String()
}
