// Package project identifies the project of a folder by a key that stays the same when the folder is
// moved or renamed.
//
// In a git repository the key derives from the first commit, so that all clones and worktrees share
// it. If that commit is not known (no commit yet, a shallow clone, too little time in a hook), the repository
// has a random key until [Promote] replaces it. Outside git the key is random too and is stored in a
// file of the folder; it also applies to all folders below.
//
// The package is not a store. It names folders of the data directory ([DataDir]) and moves them after
// a promotion ([Settle]), but does not read their content.
//
// It guarantees that a key is a valid folder name, whatever the files it was read from contain; that
// concurrent processes get the same key; and that reading a recorded key needs one small file and no
// process.
package project
