// Package work runs what the terminal program asks for outside of the goroutine that draws.
//
// A Queue runs one piece of work at a time, because a timeline has one user. Each piece is asked
// for in a slot, such as "details": a new piece in a slot cancels the one before, so a person who
// moves quickly through a list never waits for what is no longer looked at.
package work
