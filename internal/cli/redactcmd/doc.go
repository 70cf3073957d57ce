// Package redactcmd has the commands below `entire redact`: test shows what redaction takes from a text and
// why, scan looks through what is stored with today's rules.
//
// A place is where something is stored: a file of a checkpoint, of a step or of the session store, a commit's
// message, a log. A finding is a secret in a place, with its line and rule.
//
// It guarantees that no secret is printed, that a scan changes nothing unless it is told to rewrite, and that
// a rewrite that was interrupted can be repeated.
package redactcmd
