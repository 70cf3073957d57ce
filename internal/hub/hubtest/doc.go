// Package hubtest starts the real parts that the hub's tests need: PostgreSQL, git servers and repositories with many
// checkpoints. Only tests import it.
package hubtest
