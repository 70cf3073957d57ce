// Package evidence decides which sessions a commit belongs to.
//
// Evidence is what shows that a session wrote a file: its steps, its edit calls, its commands, and
// the similarity of its versions with the committed one. [ChooseSessions] is a pure function of the
// staged changes and of what each session has done ([transcript.SessionWork]). What cannot have written a file
// is no evidence, and lines that are common in the repository prove nothing.
//
// An undecided commit was made in the middle of a turn whose transcript did not show the calls yet. [NoteUndecided] keeps
// what the engine knew then, and [DecideLate] decides by that and by what the transcript has told since of the time before.
//
// [UnhookedCommits] finds commits with a session's work that no hook of ours saw, such as those of git am.
// Package link decides what becomes of them.
package evidence
