// Package risk finds shell commands that may lose work. It parses a command word by word, as a shell
// does: text in quotes, comments or arguments of a harmless command is not run, but the command of a
// wrapper is (sudo, env, xargs, bash -c …). It runs nothing and does not guess what only a shell
// knows, such as the value of a variable.
//
// It is not a safeguard: commands can be hidden from it. It finds commands that an agent writes
// openly, so that a step can be recorded before they run.
package risk
