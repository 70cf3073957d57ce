// Package attributioncmd has the commands that say who wrote a line: blame, why and attribution.
//
// An owner is an agent (session, turn, call), a person, or unknown. Package lineage finds the owners
// of committed lines, the engine those of uncommitted ones; this package puts them together, reads
// the conversation behind a line (why), and adds owners up over commits (attribution).
//
// It guarantees that it changes no repository, and that it says unknown where nothing shows who wrote
// a line.
package attributioncmd
