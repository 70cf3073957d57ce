// Package soak holds the long proofs that the built binary loses nothing: many
// processes at once, kills at random instants, transcripts of 100 MB.
//
// It is no library and no part of the ordinary tests: everything in it stands
// behind the build tag soak (`make soak`). SOAK_ROUNDS scales it: 20, the
// default, are 20 rounds of eight processes and 500 kills. SOAK_SEED repeats a
// run's random choices.
//
// It guarantees that only processes it started are killed, and that nothing
// outside the test's temporary directory is touched.
package soak
