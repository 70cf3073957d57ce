// Package link names a checkpoint in a commit, and finds the commits that no hook of ours saw.
//
// prepare-commit-msg chooses the sessions and writes the trailer. commit-msg moves the trailer to the
// message's end, and removes it from a message that has nothing else, so that git refuses that.
// post-commit condenses. The next event, commit or question about owners records commits that were
// made with hooks switched off, without a trailer.
package link
