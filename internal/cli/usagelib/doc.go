// Package usagelib counts the tokens of the sessions that the current directory gives access to, and tells
// what was done in them, as values that commands and the web view show.
//
// Read returns a Report: what each day, session, commit, branch, agent, model, file or author used and cost.
// Recall returns a Recap: what was asked, done and left open. Both read the store and the metadata branch only,
// never a transcript of an agent that the store has.
//
// What was read of a session is kept as a sum in entire/cache/usage of the git directory (outside git, in the
// user's cache folder), so that a call reads only the lines that are new. That folder may be deleted at any
// time. Nothing else is changed.
package usagelib
