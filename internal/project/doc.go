// Package project says which project a folder belongs to, by a key that stays
// the same when the folder is moved or renamed.
//
// In a git repository the key is made of its first commit, so that all clones
// and worktrees share it. A repository of which that commit is not known (no
// commit yet, a shallow clone, too little time) has a random key until it is;
// [Promote] then gives it the lasting one. Outside git the key is random too and
// lies in a file of the folder, which also counts for all folders below.
//
// It is not a store: it names folders of the data directory ([DataDir]) and, at
// a promotion, moves them ([Settle]); what they hold is not its business.
//
// It guarantees that a key is fit to be the name of a folder, whatever stands in
// the files it was read from; that processes which ask at the same time get the
// same key; and that reading a recorded key costs one small file and no process.
package project
