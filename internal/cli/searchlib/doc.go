// Package searchlib finds what was said, asked and done in the sessions of projects, for the command
// `entire search`, the terminal program and the web view.
//
// [Search] takes a query and [Options] and returns an [Answer]: its [Hit]s are messages, sessions and
// checkpoints, the best first, each with a snippet in which the matches are marked.
//
// The index is a cache in the user's cache folder. Search brings it up to date first, which can take
// a minute (Options.Progress shows it); a caller that searches at every key sets Options.AsIndexed
// after the first search. It changes nothing else. Warnings go to the library's Env.Err.
package searchlib
