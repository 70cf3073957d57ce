// Package storebench measures the session store beside a plain file and SQLite,
// in one run: `go test -bench . ./internal/storebench`. It has tests only.
package storebench
