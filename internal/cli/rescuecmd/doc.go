// Package rescuecmd has `entire rescue` and the commands below it: what can be brought back that was lost before
// Entire was there, or that it did not record.
//
// `rescue` shows which conversations agents keep on this machine and imports those of the project (rescuelib).
//
// `rescue files` gathers versions of files from all that is left on the machine (internal/rescue/gather), chooses
// what is lost (internal/rescue/versions), shows it as a plan, and writes it beside the worktree or into it. Into the
// worktree it goes as a rewind does (strategy/rewind): the present is saved first, and `entire undo` takes it back.
package rescuecmd
