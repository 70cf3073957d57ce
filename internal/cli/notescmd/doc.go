// Package notescmd has the command notes: it exchanges who wrote which line with git-ai, through git notes.
//
// `notes sync` writes our records of commits as notes, `notes import` makes the notes of others evidence of a class
// of its own. Neither changes a note of another program, and neither sends anything.
package notescmd
