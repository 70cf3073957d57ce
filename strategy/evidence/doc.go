// Package evidence decides which sessions a commit belongs to.
//
// Evidence is what shows that a session wrote a file: its steps, its edit calls, its commands, and
// the similarity of its versions with the committed one. [ChooseSessions] is a pure function of the
// staged changes and of what each session has done ([transcript.SessionWork]). What cannot have written a file
// is no evidence, and lines that are common in the repository prove nothing.
//
// [UnhookedCommits] finds commits with a session's work that no hook of ours saw, such as those of git am.
// Package link decides what becomes of them.
package evidence
