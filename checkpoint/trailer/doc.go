// Package trailer reads and writes the commit messages of checkpoints: the trailer
// Entire-Checkpoint in a user's commit, and the trailers of our own commits.
//
// A trailer is a line "Key: value" in the last paragraph of a message. A subject is a message's
// first line. A message on its way to git (see [MessageOptions]) still has comments, and git
// may show it in an editor.
//
// Git's hooks call [AddCheckpointTrailer] and [IsOtherwiseEmpty]; whoever looks for a commit's
// checkpoints calls [ParseCheckpointTrailers]. Package shadow writes the messages of steps with
// the subjects and keys of this package.
//
// The package is pure: it works on text and reads nothing. It guarantees that
//   - a trailer stands where `git interpret-trailers` would put it;
//   - the value of an empty trailer is never the next line;
//   - a subject never looks like one of our trailers;
//   - a message of any size and content is read in time that grows with its length.
package trailer
