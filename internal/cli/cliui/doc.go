// Package cliui is what every command needs of its surroundings and of the terminal.
//
// Its nouns: an [Env] is the world of one run: standard streams, environment, current directory,
// clock and version; package main makes it from the process, tests make their own. A [Failure] is an
// error for a person, with a hint that says what to do ([Failf] makes one). A terminal is standard error, where questions are
// asked; standard output has only what was requested.
//
// What is printed where: results go to Env.Out, as text or, with --json, as JSON (Env.PrintJSON);
// warnings, questions and progress go to Env.Err; an error is one line there, with a hint below.
// Env's writers remove whatever a terminal would obey, except the colours of this run.
//
// Commands take an Env as their first argument after the context, check their arguments with the
// functions in args.go, shorten texts and IDs with those in text.go, and return an error that
// Env.Exit prints. It guarantees that nothing below package main reads the clock, the environment
// or the current directory of the process.
package cliui
