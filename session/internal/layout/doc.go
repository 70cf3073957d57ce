// Package layout knows where the session store keeps a session on disk, and how its files are
// opened, replaced and locked.
//
// A [Base] is the folder of a store's sessions: one folder for each session, named by its ID, and
// the trash beside them. A session's folder appears complete, by a rename ([Base.Build],
// [Base.Appear]). Marks are empty files that name sessions: .behind names those whose metadata may
// count too few messages, .restored those that came back from the trash.
//
// The package opens regular files only and follows no link. Two locks guard a session: one the
// ends of its logs and its metadata, the other its file checkpoints; the second is taken last. The
// other packages of the store use layout and never build a path below the base themselves.
package layout
