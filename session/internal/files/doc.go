// Package files saves files before tools change them, and moves them back.
//
// A checkpoint here is a manifest: the paths that were saved, each with the hash of its content, in
// the session's folder. (It is not a checkpoint of the metadata branch.) A blob holds the content
// of a file, named by its SHA-256. [CheckpointManager] makes checkpoints and rewinds to them; a
// rewind first makes a safety checkpoint of what it is about to replace.
//
// A rewind plans its steps, writes them to a journal, and then carries them out. Whoever opens the
// session next finishes or takes back a rewind that was killed. Nothing outside the working
// directory is written or removed, links are not followed, and a file that somebody changed
// meanwhile stays.
//
// This journal is not that of strategy/restore, which needs git: here a new file waits beside its place,
// because there is no other folder on its file system, and what somebody wrote after a kill is kept in a
// safety checkpoint and replaced, where strategy/restore leaves it. Both replace a file by [durable.Tree].
package files
