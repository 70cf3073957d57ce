// Package sessioncmd has the commands below `entire sessions` that list, show, check, name, tag,
// delete and clean up conversations.
//
// [Register] returns the command `sessions`, to which package sessionmovecmd adds those that
// continue, fork, export and import a session. A clean-up is a plan of what is moved to the trash
// and what is compressed, by age or size; the trash can be listed, restored and emptied.
//
// It guarantees that a conversation is deleted only through the trash, unless the trash itself is
// emptied, and that what a checkpoint or a running session needs stays.
package sessioncmd
