// Package versions puts together the versions that a file had, from whatever is known of its content.
//
// The input is Evidence: somebody saw the whole content (Whole), some of its lines (Shown), a change to it
// (Edited), or that the file was not there (Gone). Build sorts the evidence of one file by time and returns
// its versions:
//
//   - a content that was stored as it is, is Exact;
//   - a content to which told changes lead, from a content that is known, is Rebuilt; it becomes Verified if
//     the same bytes, or what later changes make of them, are found elsewhere;
//   - a content is Partial if only some of its lines are known; it says which.
//
// It also goes backwards: where a change is told and only the content after it is known, the content before
// it is rebuilt.
//
// The package is pure. Contents are named by their hash and read through the interface Contents, so that
// the caller decides where they are kept.
package versions
