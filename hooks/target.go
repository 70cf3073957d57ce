package hooks

import (
	"context"
	"path/filepath"
	"strings"

	"entire/internal/durable"
	"entire/internal/git"
)

// Target is where one repository's hooks are. All paths are absolute.
type Target struct {
	Dir       string // the directory in which git looks for hooks
	Top       string // the worktree
	CommonDir string // the repository's git directory
}

// Locate returns where git looks for the hooks of repo, according to core.hooksPath and
// linked worktrees.
func Locate(ctx context.Context, repo *git.Repo) (Target, error) {
	dir, _, err := repo.HooksDir(ctx)
	if err != nil {
		return Target{}, err
	}
	return Target{Dir: dir, Top: repo.Top, CommonDir: repo.CommonDir}, nil
}

// place is who else uses the hooks' directory.
type place int

const (
	private   place = iota // in the git directory: only this repository
	committed              // in a worktree: perhaps everybody who clones it
	shared                 // outside: perhaps other repositories
)

// place follows links: .git/hooks may be one.
func (t Target) place() place {
	dir := durable.Resolve(t.Dir)
	common := durable.Resolve(t.CommonDir)
	switch {
	case within(dir, common):
		return private
	case within(dir, durable.Resolve(t.Top)):
		return committed
	case filepath.Base(common) == ".git" && within(dir, filepath.Dir(common)):
		return committed // in the main worktree, and t is a linked one
	}
	return shared
}

// linkedOut reports whether the repository's own folder of hooks is a link that leads to a shared one.
func (t Target) linkedOut() bool {
	return t.Dir == filepath.Join(t.CommonDir, "hooks") && t.place() == shared
}

// Outside says by what git finds hooks outside of the repository, if it does.
func (t Target) Outside() string {
	if t.linkedOut() {
		return "the folder of git's hooks is a link that leads outside this repository"
	}
	return "core.hooksPath points outside this repository"
}

func within(path, dir string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(rel)
}

func (t Target) lockPath() string { return filepath.Join(t.CommonDir, "entire", "hooks.lock") }

// State is how many of the hooks call entire.
type State string

// The states. A hook counts if git would run it and it calls entire, whoever wrote it.
const (
	None    State = "none"
	Partial State = "partial"
	All     State = "all"
	Foreign State = "foreign" // the directory is shared and not every hook there calls entire
)

// Installed returns the state of the hooks; unreadable ones do not count.
func Installed(t Target) State {
	calling := 0
	for _, name := range Names() {
		if t.calls(name) {
			calling++
		}
	}
	switch {
	case calling == len(Names()):
		return All
	case t.place() == shared:
		return Foreign
	case calling > 0:
		return Partial
	}
	return None
}

// calls reports whether entire is called when git runs the named hook.
func (t Target) calls(name string) bool {
	hook, err := readHook(filepath.Join(t.Dir, name))
	if err != nil || !hook.exists || !hook.runnable() {
		return false
	}
	return hook.ours() || t.delegated(name, hook)
}

// delegated reports whether a foreign hook itself calls entire: by a line that its owner
// added, by one in the file that husky's stub runs, or by our own script that pre-commit
// has moved aside and runs.
func (t Target) delegated(name string, hook hookFile) bool {
	if callsUs(name, hook.content) {
		return true
	}
	switch managerOf(hook.content) {
	case Husky:
		user, err := readHook(filepath.Join(filepath.Dir(t.Dir), name))
		return err == nil && callsUs(name, user.content)
	case PreCommit:
		legacy, err := readHook(filepath.Join(t.Dir, name+legacySuffix))
		return err == nil && legacy.ours()
	}
	return false
}

// The places to which managers move the hook that they replace. Pre-commit runs it there.
const (
	legacySuffix = ".legacy"   // pre-commit
	oldSuffix    = ".old"      // lefthook
	oldFolder    = "old-hooks" // overcommit
)

// movedTo returns the places from which nobody runs a hook that a manager moved there.
func movedTo(name string) []string {
	return []string{name + oldSuffix, filepath.Join(oldFolder, name)}
}

func callsUs(name, content string) bool {
	for line := range strings.Lines(content) {
		if strings.Contains(line, "hooks git "+name) && strings.Contains(line, "entire") &&
			!strings.HasPrefix(strings.TrimSpace(line), "#") {
			return true
		}
	}
	return false
}

// Detect returns the manager of the hooks that git runs for the repository.
func Detect(t Target) Manager {
	for _, name := range Names() {
		hook, err := readHook(filepath.Join(t.Dir, name))
		if err != nil || !hook.exists {
			continue
		}
		if manager := managerOf(hook.content); manager != "" {
			return manager
		}
		for _, backup := range backups(t.Dir, name) {
			old, err := readHook(filepath.Join(t.Dir, backup))
			if manager := managerOf(old.content); err == nil && manager != "" {
				return manager
			}
		}
	}
	return ""
}
