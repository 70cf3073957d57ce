// Package legible makes other people's text safe to show: it replaces whatever a terminal
// would obey or not show with an escape that a person can read.
//
// Prompts, messages, paths and names come from agents, remotes and colleagues. A control
// character in them may move the cursor or rename the window, a bidirectional override may
// reverse the displayed order, and a zero-width character is invisible. This package shows
// all of them, as \x1b or \u202e.
//
// It is pure, uses no terminal, and guarantees two things. Legible text stays unchanged,
// so text may pass several times. Valid JSON stays valid with the same meaning: characters
// that JSON allows in a string are escaped as JSON escapes them.
package legible
