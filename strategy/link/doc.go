// Package link names a checkpoint in a commit, and finds the commits that no hook of ours saw.
//
// prepare-commit-msg chooses the sessions and writes the trailer (commit_trailers.go). commit-msg moves the
// trailer to the message's end, and removes it from a message that has nothing else, so that git refuses that.
// post-commit condenses (post_commit.go).
//
// The next event, commit or question about owners records, without a trailer, what these hooks could not: commits
// that were made with hooks switched off (record_unhooked.go), and those in the middle of a turn whose transcript tells
// its calls late (record_late.go). A commit of git am gets no checkpoint, because its patch may come from elsewhere.
package link
