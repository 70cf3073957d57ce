// Package hooks installs the git hooks that run entire: it renders the four hook scripts,
// writes them where git looks for hooks, chains the hooks that it finds there, and removes
// its scripts again.
//
// What the hooks do is not here but in package strategy, which they reach through the
// command `entire hooks git <name>`.
//
// It guarantees:
//   - no script makes git fail because entire is missing, broken or slow: only a hook that
//     was there before decides git's exit status;
//   - a hook that was there before runs as it ran without entire, and Uninstall restores
//     it byte for byte, with its mode, as a link if it was one;
//   - a hook that could not run under another name stays as it is, and so does a directory
//     that other repositories share: the Report then says what to add by hand;
//   - at no instant, a crash included, is a foreign hook absent or lost.
package hooks

// The names of the managed hooks, and literals that reach the disk. Other tools find our
// hooks by the marker, and the earlier hooks by the suffix.
const (
	PrepareCommitMsg = "prepare-commit-msg"
	CommitMsg        = "commit-msg"
	PostCommit       = "post-commit"
	PrePush          = "pre-push"

	marker       = "# Entire CLI hooks"
	backupSuffix = ".pre-entire"
	editedSuffix = ".entire-edited"
)

// Names returns the names of the managed hooks in the order in which git runs them.
func Names() []string { return []string{PrepareCommitMsg, CommitMsg, PostCommit, PrePush} }
