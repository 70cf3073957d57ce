// Package review answers what a reviewer asks of lines whose writers are known:
// what was said and done when a line was written ([Find]), and how much of a
// change, of which files and hunks, is an agent's, a person's, or nobody's that is
// known ([Document]).
//
// It is pure: transcripts and owners of lines come in as values, from
// [entire/internal/lineage] and the stored checkpoints, and nothing is read, run
// or printed. A Document is what `entire attribution --json` prints, and
// [Validate] refuses what is none.
package review
