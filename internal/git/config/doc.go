// Package config reads git's files of configuration and attributes without git, to tell
// where git would do nothing that this program cannot do itself.
//
// [Read] reads the configuration that a git would read, and says for each value whether it
// is certain to be git's. [Config.Attributes] finds the files of attributes that may apply
// to a worktree's paths. What is unusual (a program that is a script, configuration on a
// command line, a condition, a text that versions of git read differently) is not
// interpreted: the answer is then that git must be asked.
//
// The package starts no process and writes nothing.
package config
