// Package risk tells shell commands that may lose work from others. It reads a command
// as a shell does, word by word: what is quoted, in a comment or an argument of
// something harmless is not run, and what a wrapper runs (sudo, env, xargs, bash -c …)
// is. It runs nothing, and what only a shell could know, the value of a variable, it
// does not guess.
//
// It is no guard: whoever wants to hide a command can. It finds what an agent writes
// plainly, so that a checkpoint is made before.
package risk
