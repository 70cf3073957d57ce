// Package statement defines what a clone says about a checkpoint, so that a later change of it can be found.
//
// A Statement is an in-toto statement (https://in-toto.io/Statement/v1). It names the objects of git that the
// checkpoint consisted of, the commit that it belongs to, the agents and the accountable person. The statements of
// one clone form a chain: each has a number and names the digest of the one before it. A Head is the last link of a
// chain, and a Link is what another statement says of one.
//
// The package is pure: it encodes, decodes and compares. Package metadata writes statements with the checkpoints, and
// package audit reads them.
//
// It guarantees that Encode and Digest depend on the statement alone, and that Decode refuses a statement of another
// type, with a missing part, or larger than MaxBytes.
package statement
