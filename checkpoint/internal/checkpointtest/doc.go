// Package checkpointtest builds records and metadata branches for the tests of the packages
// below checkpoint. Only tests import it.
package checkpointtest
