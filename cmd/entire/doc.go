// Command entire records what AI coding sessions did to a repository: every turn as a step that
// `entire rewind` can go back to, every commit with the conversation that led to it.
//
// This package makes the world of the process (environment, clock, current directory, standard
// streams) and wires the groups of commands below internal/cli together; those print and ask. The
// packages below them make the decisions.
//
// It guarantees that a hook exits with 0, never asks, and prints only what the calling agent
// expects; and that any other command says on standard error, in one line, why it failed.
package main
