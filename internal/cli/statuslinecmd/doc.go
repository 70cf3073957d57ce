// Package statuslinecmd has `entire statusline`: one line for an agent's status line and for a shell's
// prompt.
//
// The [Line] says how many steps there are since the commit, when the last was captured, how much of
// what is staged an agent wrote, and that an agent works without being captured. It is printed whenever
// a prompt is drawn, so it must cost almost nothing: everything is kept in a cache file of the worktree,
// with the sizes and times of the files of git and of Entire that it was made from ([markOf]). Only when
// one of those has changed, the steps are counted again. The rest is found by another process, which
// this one does not wait for; until it has ended, the line shows what was found before.
//
// It changes nothing but that cache, prints nothing where Entire is not set up, and never fails: a
// prompt is no place for an error.
package statuslinecmd
