// Package merge3 merges two changes of one text, line by line. It is pure: it uses no git, disk or
// clock.
//
// [Merge] takes a base and two versions of it. A part that only one version changed, or that both
// changed in the same way, is taken over; different changes in the same or adjacent lines are a
// conflict, which is never resolved by guessing. Package attribution matches the lines, patience
// first.
//
// All bytes are preserved: any kind of line end, a missing final newline, and bytes that are not text.
// A file that is binary or larger than 8 MiB is treated as one line. The time is bounded: what
// could not be compared in time counts as changed, which can only lead to additional conflicts.
// The package does not merge trees and knows nothing of renames or modes.
package merge3
