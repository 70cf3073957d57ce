//go:build linux || darwin

// Package recording runs a program on a terminal of its own, types what a script says, and draws what the
// terminal showed as an SVG picture, still or moving. The pictures of the documents are made with it from
// the real program (`make pictures`), and tests look at its screens.
//
// A [Session] is a program on a terminal. A [Screen] is what the terminal shows at one moment, and a
// [Frame] a screen with the time for which it is shown. [Play] runs a script of keys:
//
//	wait TEXT    goes on when the screen shows TEXT (spaces do not count)
//	key NAME     presses a key: enter, esc, tab, up, ctrl-c, f1, or a single character
//	type TEXT    types a text
//	show 1.5s    keeps the screen as a frame
//
// It is for tests and for the makers of the documents; the program does not link it.
package recording
