// Package backup writes stored sessions into an archive and takes them in again:
// as a backup, and from one store into another. What comes back is what was
// there, byte for byte: messages and what was taken back of them, transcripts,
// metadata, forks with what they share, checkpoints of files, and whatever else
// lies in a session's folder.
//
// It is no sync: a session that is here already is never changed. An archive is
// read twice, and nothing of it is written before all of it has proved to be
// whole; no session can be seen before every one of them is ready.
package backup
