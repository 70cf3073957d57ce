// Package web is the command `entire web`: the past of the worktree as pages in a browser of this machine.
//
// It listens on a port that other machines cannot reach (package gate), opens the worktree (package
// pages), prints a link that lets one browser in, and opens it there (package browser). It ends at an
// interrupt.
package web
