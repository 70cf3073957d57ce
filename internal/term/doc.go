// Package term communicates with a person at a terminal: questions, lists to choose from,
// a pager, and colour.
//
// It makes no decisions: the caller decides whether to ask, and what an answer means. It
// uses nothing from the environment and holds no state, so importing it costs nothing to a
// program that does not ask.
//
// It guarantees that a [Terminal] whose Interactive is false never reads a byte and never
// waits: every question then fails with [ErrNotInteractive].
package term
