// Package epoch is the form in which whole months of checkpoints are stored outside the metadata
// branch: one epoch for each month, in two refs.
//
// The ref of [Refs] has the manifest, which is small and which every clone gets: the sorted IDs of the
// month, divided into shards, and for each shard the name of its page. The ref of [BodyRefs] has the
// checkpoints, in the folders that they had on the branch, and the pages. A page has a [Row] for
// each ID: the tree of the checkpoint, its sessions, author, dates and size.
//
//	set, err := epoch.Load(ctx, repo)
//	found, absent, err := set.Find(rd, ids)   // the trees, by two binary searches for each ID
//
// It is no writer of checkpoints, and decides nothing: package sealing says what becomes an epoch.
//
// It guarantees that
//   - an epoch is a function of its rows: clones that seal the same checkpoints make the same objects;
//   - a lookup reads one shard of a manifest and one page, whatever the number of checkpoints;
//   - a clone without the bodies knows every ID, and which objects to fetch for it.
package epoch
