// Package link names a checkpoint in a commit, and finds the commits that no hook of ours saw.
//
// prepare-commit-msg chooses the sessions and writes the trailer; commit-msg makes sure that it is
// still there; post-commit condenses. Commits that were made with hooks switched off are recorded at
// the agent's next event, without a trailer.
package link
