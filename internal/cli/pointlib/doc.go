// Package pointlib says in words what a point of the timeline is. `entire log`, `entire show` and other
// faces use it, so a turn, a commit or a rewind reads the same everywhere.
//
// Title is a point in one line, Note what else a list says about it, Changed the size of its change, and
// GoTo the command that goes there. All texts are legible. The package reads nothing.
package pointlib
