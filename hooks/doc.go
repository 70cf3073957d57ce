// Package hooks is how git calls us: it renders the four hook scripts, puts them
// where git really looks, chains the hooks it finds there, and takes ours out
// again.
//
// It is not what the hooks do; that is strategy, reached through the command
// `entire hooks git <name>`.
//
// It guarantees:
//   - no script makes git fail because entire is missing, broken or slow to say
//     no: only a hook that was there before us decides git's exit status;
//   - a hook that was there before us runs as it ran without us, and Uninstall
//     puts it back byte for byte, with its mode, as a link if it was one;
//   - a hook that could not run under another name is left alone, and so is a
//     directory that other repositories share: the Report then says what to add
//     by hand;
//   - at no instant, a crash included, is a foreign hook absent or lost.
package hooks

// The managed hooks' names, and literals that reach disk. Other tools find our
// hooks by the marker, and the hooks before us by the suffix.
const (
	PrepareCommitMsg = "prepare-commit-msg"
	CommitMsg        = "commit-msg"
	PostCommit       = "post-commit"
	PrePush          = "pre-push"

	marker       = "# Entire CLI hooks"
	backupSuffix = ".pre-entire"
	editedSuffix = ".entire-edited"
)

// Names returns the managed hooks in the order git runs them.
func Names() []string { return []string{PrepareCommitMsg, CommitMsg, PostCommit, PrePush} }
