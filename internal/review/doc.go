// Package review answers a reviewer's questions about lines whose authors are known: which prompt and
// call led to a line ([Find]), and how much of a change, file by file and hunk by hunk, was written by
// agents, by people, or by an unknown author ([Document]).
//
// The package is pure: transcripts and owners of lines are passed in as values, from
// [entire/internal/lineage] and the stored checkpoints. It reads no files, runs no programs and prints
// nothing. A Document is what `entire report --json` prints, and [Decode] refuses anything else.
package review
