// Package id holds the identifiers that become parts of paths and refs:
// checkpoint IDs, session IDs and tool-use IDs.
//
// It is not a generator of anything but checkpoint IDs (agents name their own
// sessions) and it opens nothing.
//
// A value of CheckpointID or SessionID that is not the zero value is valid:
// the only ways to make one are the functions here and decoding, and both
// refuse everything else. Such a value may be used as a file name or as part
// of one without further checks.
package id
