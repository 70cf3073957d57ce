package opencode

import (
	"path/filepath"

	"entire/agent"
)

var _ agent.SnapshotKeeper = Adapter{}

// SnapshotRepos implements agent.SnapshotKeeper: a folder for each project, in newer versions with one for each
// worktree.
func (a Adapter) SnapshotRepos(home, _ string) []string {
	root := filepath.Join(home, ".local", "share", string(a.Name()), "snapshot")
	return []string{filepath.Join(root, "*"), filepath.Join(root, "*", "*")}
}
