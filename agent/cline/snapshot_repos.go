package cline

import (
	"path/filepath"

	"entire/agent"
)

var _ agent.SnapshotKeeper = Adapter{}

// SnapshotRepos implements agent.SnapshotKeeper: the editors' extension keeps one for each workspace, and programs
// made of it one for each task.
func (Adapter) SnapshotRepos(home, _ string) []string {
	var out []string
	for _, base := range []string{".config", "Library/Application Support", "AppData/Roaming"} {
		storage := filepath.Join(home, filepath.FromSlash(base), "*", "User", "globalStorage", "*")
		out = append(out, filepath.Join(storage, "checkpoints", "*", ".git"), filepath.Join(storage, "tasks", "*", "checkpoints", ".git"))
	}
	return append(out, filepath.Join(home, ".cline", "data", "checkpoints", "*", ".git"))
}
