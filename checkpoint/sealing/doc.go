// Package sealing moves whole months of checkpoints from the metadata branch into epochs.
//
// [Find] says which months can be sealed, [Seal] seals them, and [Absorb] joins the epochs of another
// clone with those that are here. [Drop] removes from the branch, and from its history, what epochs
// have. [DropForgotten] removes from epochs what was forgotten.
//
//	plan, err := sealing.Find(ctx, repo, before)
//	done, err := sealing.Seal(ctx, repo, plan, progress)
//
// The unit of everything is the checkpoint's folder, whose tree stays the same object. Nothing is
// removed from the branch unless an epoch has exactly that tree.
//
// It guarantees that
//   - clones that seal the same checkpoints of a month get the same objects;
//   - epochs are written before the branch moves, so that a call which is interrupted leaves
//     checkpoints in both places and never in none;
//   - epochs of two clones join to the same epoch in either order, and no session is lost;
//   - the branch's new history depends on its old one and on what is sealed alone.
package sealing
