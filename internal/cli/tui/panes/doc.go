// Package panes has the panels of the terminal program: the timeline, the states of a file, the owners
// of its lines, sessions, search, what runs now, and the sheet of a rewind.
//
// A panel is a value with three parts. Its fields are what it shows. Update and Key change them,
// and return commands that read more (package facts) outside of the goroutine that draws. View returns
// its lines for a Screen, and depends on nothing but the fields and the screen: the tests call it
// for every width and theme.
//
// Panels do not know each other. What concerns another one, or the whole program, is a message: GoTo,
// Open, Tell, Copy, Ask.
package panes
