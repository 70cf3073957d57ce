// Package share exchanges checkpoints and sessions with remotes that the user has agreed to. A push
// merges with what the remote has. It replaces the remote's branch only where that still has what was
// forgotten, redacted or sealed, and only if the branch is the one that was just merged.
package share
