// Package pane is what the panels of the terminal program have in common.
//
// A panel is a value with three parts. Its fields are what it shows. Update and Key change them, and
// return commands that read more (package facts) outside of the goroutine that draws. View returns its
// lines for a Screen, and depends on nothing but the fields and the screen: the tests call it for
// every width and theme.
//
// Panels do not know each other. What concerns another one, or the whole program, is a message: GoTo,
// OpenFile, OpenSheet, Tell, Copy, Ask. What several of them show is here, too: a Doc of many lines, points
// and their kinds, patches, and what an agent said.
package pane
