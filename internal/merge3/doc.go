// Package merge3 merges two changes of one text, line by line: pure, without git,
// disk or clock.
//
// [Merge] is given a base and two versions of it. Where only one of them differs
// from the base, that is what comes out; where both made the same change, that;
// where they differ in the same or in touching lines, there is a conflict, which
// is never guessed away. Lines are paired by package attribution, patience first.
//
// Bytes are exact: line ends of any kind, a missing last newline, and bytes that
// are no text in any encoding come out as they went in. A file that is binary or
// larger than [MaxBytes] is not looked into: it is one line. The time is bounded;
// what could not be compared within it counts as changed, so that the worst is a
// conflict where a longer look would have found none.
//
// It is no merge of trees, and knows nothing of renames or modes.
package merge3
