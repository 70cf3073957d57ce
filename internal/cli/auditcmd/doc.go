// Package auditcmd holds the command audit: what the statements about checkpoints prove of commits and sessions.
//
// The checks are in package audit of checkpoint; this package finds the trusted keys, asks, and prints.
package auditcmd
