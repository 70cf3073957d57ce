// Package blameserve answers an editor who wrote the lines of the files that it shows, as long as
// the editor runs: the protocol of `entire blame --serve`, which docs/editors.md describes.
//
// A [Server] reads requests, a line of JSON each, and answers in the same form. A document is a
// file that the editor has opened, with the text of its buffer; a base is the file on disk with the
// owners of its lines, as ownerlib finds them. After an edit the server compares the buffer with the
// base and tells only the lines whose owner has changed, without asking git.
//
// One goroutine owns the documents and writes; a second one reads requests, and a third one asks
// for owners, one question after the other. No request ends the session, however wrong it is.
package blameserve
