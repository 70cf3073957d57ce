// Package restore replaces files of the worktree so that a crash at any instant loses nothing.
//
// It writes a journal with the old and the new version of every path, stages the new files beside the
// old ones, and moves them into place; a rollback reads the journal. Paths that leave the
// worktree, that git protects, or that collide on this file system are refused before anything is
// written.
//
// Package rewind makes the plan and the journal; what a plan is made of, and what a rewind did, is here
// (plan_parts.go), because the journal and package handoff need it, too.
//
// The files of a session have a journal of their own (session/internal/files). That one knows a content by its
// SHA-256, this one by the blob that git's filters make of it and by the file's stat data; that one writes the
// replaced file again from its own store, this one moves the very file back, and goes on to refs, the log and
// the session's state. What both do with one file is in [durable.Tree]: Swap, Prune, MakeFolder and Sync.
package restore
