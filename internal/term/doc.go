// Package term talks to a person at a terminal: questions, lists to choose
// from, a pager, and colour.
//
// It is not a place for decisions: whether to ask, and what an answer means, is
// the caller's. It takes nothing from the environment and holds no state, so
// importing it costs a program nothing that asks nothing.
//
// It guarantees that a [Terminal] whose Interactive is false never reads a byte
// and never waits: every question then fails with [ErrNotInteractive].
package term
