// Package outside says which bodies checkpoints need: large parts of conversations that are stored outside
// git, in package bodies, and for which small blobs stand.
//
//	need, err := outside.Reached(ctx, repo, refs, not)   // what is sent with these refs
//	mark := outside.Begin(ctx, repo)                     // before checkpoints are forgotten
//	err = mark.Dropped(ctx)                              // after it: these bodies may go from the bucket
//
// It starts no program but git, and asks no bucket.
//
// It guarantees that
//   - a body that a branch, an epoch or a ref here needs is never named as one to delete;
//   - a clone without a folder of bodies pays one look at that folder.
package outside
