// Package tuitest makes the repositories that the terminal program's tests show: two sessions and a
// person at work, with commits, a label, a rewind and an undo, through the real engine and at fixed times.
// Only tests import it.
package tuitest
