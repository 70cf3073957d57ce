// Package rewindwalk holds the oracle of rewinds: in histories of internal/histories,
// which run git and the hooks of the real program, it plans and carries out rewinds
// and compares plan and files with a model that shares no code with the engine.
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
