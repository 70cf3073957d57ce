// Package ingest brings checkpoints from git servers into the index.
//
// A [Source] is one repository: a mirror of its metadata refs in a folder, and what the index has of it. [Source.Sync] fetches
// and makes the index equal to what was fetched; it reads only checkpoints that changed. A [Runner] does that for many
// sources, now and then and when a webhook says that something moved.
//
// It finds a checkpoint wherever docs/format.md says that it can be: on the branch, in a ref of its own, in a sealed month, and
// in what a push has left in the inbox, which counts as if it were merged already.
//
// It guarantees that
//   - after Sync, the rows are those of the fetched checkpoints and of no others, whatever was there before;
//   - a Sync that was killed leaves whole checkpoints, and the next one goes on from there;
//   - a forgotten checkpoint's rows go with the next Sync, and the mirror that had its objects is made anew;
//   - replicas that Sync one repository at once do it one after the other.
package ingest
