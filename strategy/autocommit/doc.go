// Package autocommit makes a commit at the end of every turn that changed something, for the strategy
// "auto-commit".
//
// It runs `git commit` for the session's files alone. What a person changed before the turn stays
// uncommitted, and what they staged stays staged. If git or a hook refuses the commit, the work stays
// a step and the next turn's end tries again.
package autocommit
