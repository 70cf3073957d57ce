// Package api answers questions about the index: as values for the pages, and as JSON below /api/v1.
//
// A [Service] asks the index in the name of a principal. A [Problem] is what is wrong with a question; whatever else goes
// wrong is not told to the asker. Handler serves the questions that openapi.json describes; package client is made from
// that document.
//
// It guarantees that a repository which the principal may not read is answered as one that does not exist.
package api
