// Package usage counts the tokens of stored conversations, and prices them.
//
// An Answer is one answer of a model, with its tokens; however many messages it was streamed in, it is one.
// A Log is what was read of one session: its answers and when its turns began. It takes the lines of a
// session's messages, can be stored as bytes between any two of them, and goes on from there. Distinct keeps
// each answer once where sessions share it. A Prices table says what a model's tokens cost; it has a date,
// and a model that it does not have has no price. A Report groups answers.
//
// It is pure: it reads no file and knows no agent, repository or clock.
package usage
