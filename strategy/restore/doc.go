// Package restore replaces files of the worktree so that a crash at any instant loses nothing.
//
// It writes a journal with the old and the new version of every path, stages the new files beside the
// old ones, and moves them into place; a rollback reads the journal. Paths that leave the
// worktree, that git protects, or that collide on this file system are refused before anything is
// written.
package restore
