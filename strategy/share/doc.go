// Package share exchanges checkpoints and sessions with remotes that the user has agreed to. A push
// merges with what the remote has and never forces.
package share
