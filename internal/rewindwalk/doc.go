// Package rewindwalk holds the random histories of rewinds: what two sessions and
// a person do to the files of a repository, with rewinds in between, against a
// model that shares no code with the engine.
//
// It is no library: everything in it is a test. `make test` runs a few histories,
// `make rewindwalk` thousands; REWINDWALK_SEQUENCES, REWINDWALK_OPS and
// REWINDWALK_SEED say how many, how long and which, REWINDWALK_REPLAY runs one
// list of operations as a failure prints it.
//
// `make guardwalk` runs other histories, with the real program: people and two
// agents change and destroy files, processes are killed, and every state of the
// files that existed at a turn's edge or before a destructive command is asked
// back. GUARDWALK_SEQUENCES and so on are its variables.
package rewindwalk
