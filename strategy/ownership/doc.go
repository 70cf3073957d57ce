// Package ownership decides who wrote each line of a commit: an agent's session, a person, or an
// unknown author.
//
// It follows each file through the steps between the parent and the commit and gives every new line
// the author of the step in which the line appeared; where several could have written it, edit calls
// and commands decide. A line that was brought from another place or time collects claims (claims.go): it
// belongs to whoever surely wrote its text first. The result is stored in the checkpoint's record and, for
// uncommitted files, in a cache that may be deleted.
//
// [Attribute] has these parts, in this order. Each sees the owners that the earlier ones left, and changes only what is named:
//
//  1. stepChains, replacedChain: the steps that lead to the commit, of each session, and of a commit that it replaces. Nothing
//     is decided yet.
//  2. attributeFiles: an owner for every line that the commit adds, by the history of its file through the steps.
//  3. markMoved: lines that the commit took out of one file and put into another are marked as moved. Their owners stay.
//  4. addMovedBetween, addOthers, addUncaptured, addCalled, addUndone: claims for a person's lines; addConcurrent: for those that
//     a command moved. Owners do not change.
//  5. decide: a claimed line goes to whoever surely wrote it first, or becomes unknown.
//  6. markUnknownHooked: a person's lines in a file that a pre-commit hook rewrote become unknown.
//  7. noteWaiting, relearn: lines that wait for the end of their turn go into the sessions, and the owners into the memory from
//     which an amend starts. Owners do not change.
//  8. lineRecord, fillNumbers: the record of lines, and the numbers computed from it.
package ownership
