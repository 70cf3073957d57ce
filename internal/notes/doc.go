// Package notes keeps git-ai's notes of commits (refs/notes/ai): it reads the note of a commit, adds notes of our
// own, and remembers which state of the ref a person has accepted as evidence.
//
// A [Book] is the notes at one commit of the ref. [Sync] writes our notes, all in one commit, by compare-and-swap on
// the ref; a note that another program wrote stays as it is. [Accept] remembers a state of the ref, and [Accepted]
// returns it: whoever may push can write notes, so notes that arrive later count only after they are accepted, too.
package notes
