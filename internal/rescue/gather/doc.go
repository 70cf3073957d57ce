// Package gather collects what is left on a machine of the content of a worktree's files.
//
// All asks each source in turn and fills a Collector with versions.Evidence:
//
//   - commits: of branches, of reflogs, stashes and steps, and those that nothing names any more;
//   - objects: staged and written contents that no commit has, found among git's loose objects;
//   - transcripts: what agents wrote and saw, and the copies that their programs made of files;
//   - snapshots: repositories in which agents' programs keep the worktree;
//   - editors: histories, swap files and backups of editors.
//
// It only reads. Contents are kept in a Pool, which holds little in memory. A path is accepted only if it is
// inside the worktree and git would accept it; links and special files are not followed. Each source is bounded
// in the number and size of what it reads, and says so where it stops early (Collector.Notes).
package gather
