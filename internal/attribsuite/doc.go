// Package attribsuite proves that no line is given to somebody who did not write it.
//
// It is no library: everything in it is tests, and both of them drive the built
// binary with real git and the payloads that agents send to hooks, and believe
// `entire blame --json` only.
//
//   - The suite (`make attribution-suite`): sequences of edits and git commands in a
//     notation of their own, testdata/*.txt, each with the owners of the lines at its
//     end, as somebody who watched would name them. testdata/README.md has the notation.
//   - The oracle (`make attribution-fuzz`): random histories in which each line says
//     itself who wrote it; one that fails is printed with its seed, by which it replays.
//     Unknown lines of which nobody could tell more, as what a command writes while two
//     sessions are at work, are counted apart.
//
// A wrong owner fails; an unknown one is counted.
package attribsuite
