// Package backup exports stored sessions to an archive and imports them again: as a backup, or from
// one store into another. An import restores everything byte for byte: messages and rewinds,
// transcripts, metadata, forks with their shared parts, checkpoints of files, and all other files of a
// session's folder.
//
// It does not synchronize: an import never changes an existing session. It reads the archive twice,
// and writes nothing before the first pass has verified all of it. Sessions become visible only after
// all of them are ready.
package backup
