// Package searchcmd has the command search: it finds messages, sessions and checkpoints by their
// words.
//
// An index is a cache in the user's cache directory that holds the conversations of one project; it
// is brought up to date before a search and can be deleted at any time. A hit is one answer.
//
// It guarantees that a search finds what is stored now, or says what it could not read.
package searchcmd
