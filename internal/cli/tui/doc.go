// Package tui is the full-screen terminal program: what `entire` shows on a terminal if no command is
// given.
//
// Run opens the worktree and runs an App, which is a bubbletea model. The App has the first and the last
// lines of the screen, the panels between them (package pane, and a package for each), and what lies over
// them: help, the palette of commands, questions and the sheet of a rewind. It gives each key to the
// topmost of these that has a use for it, and every other message to all panels.
//
// Nothing here waits: what reads the repository runs in package work, and comes back as a message.
package tui
