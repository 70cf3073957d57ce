// Package id holds the identifiers that become parts of paths and refs: checkpoint IDs,
// session IDs and tool-use IDs.
//
// It generates only checkpoint IDs (agents choose the IDs of their sessions) and opens no
// file.
//
// A value of CheckpointID or SessionID that is not the zero value is valid: only the
// functions of this package and decoding make one, and both return an error for anything
// else. Such a value may be used as a file name, or as part of one, without further
// checks.
package id
