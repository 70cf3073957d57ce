// Package rewindlib says in words, in JSON and as a command what a rewind would do or has done. The
// command `entire rewind`, the terminal program and the web view all show a plan with it, so a scope
// reads the same everywhere.
//
// PlanText and PlanView show a plan, PlanPatch the lines that it would change, DoneWords and EntryWords
// what was done, also as the command that does the same. The package changes nothing.
package rewindlib
