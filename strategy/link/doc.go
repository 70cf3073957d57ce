// Package link names a checkpoint in a commit, and finds the commits that no hook of ours saw.
//
// prepare-commit-msg chooses the sessions and writes the trailer (commit_trailers.go). commit-msg moves the
// trailer to the message's end, and removes it from a message that has nothing else, so that git refuses that.
// post-commit condenses (post_commit.go). The next event, commit or question about owners records commits
// that were made with hooks switched off, without a trailer (record_unhooked.go); a commit of git am gets no
// checkpoint, because its patch may come from elsewhere.
package link
