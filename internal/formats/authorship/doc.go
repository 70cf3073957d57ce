// Package authorship writes and reads the git notes of git-ai, version authorship/3.0.0: which
// sessions and people wrote which lines of one commit's files.
//
// [Note.Encode] checks a note before it writes it; [Decode] accepts only what Encode writes, and
// [Note.Check] says what is wrong with a note. [Read] is for the notes of other programs: it returns
// what can be read and says what it left out.
//
// The package is pure. It knows nothing of repositories: the caller says how many lines a file has.
package authorship
