// Package legible makes text of others safe to show: whatever a terminal would
// obey or not show becomes an escape that a person can read.
//
// Prompts, messages, paths and names come from agents, remotes and colleagues. A
// control character in them may move the cursor or rename the window, a
// bidirectional override may reverse what is read, and a zero-width character may
// hide. This package shows all of them, as \x1b or \u202e.
//
// It is pure, knows no terminal, and guarantees two things. What is legible comes
// out unchanged, so text may pass several times. Valid JSON stays valid, and means
// the same: what JSON lets stand is escaped as JSON escapes it.
package legible
