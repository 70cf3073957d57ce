// Package records reads checkpoints: from refs that each store one checkpoint, and from the
// metadata branches, which are the local one, origin's, those that earlier versions used, and
// those fetched from other remotes.
//
// A [StoredCheckpoint] is a checkpoint with the metadata of its sessions; a [SessionContent] is all
// that it stores of one session. A [Conversation] is one session's conversation as one checkpoint
// has it; an [OpenConversation] streams its messages. A [Version] is a checkpoint as one ref has
// it, a [State] all that there is to read. A [Listed] is the little that a list shows.
//
//	reader := records.NewReader(repo)
//	found, err := reader.ReadMany(ctx, ids)
//
// A [Reader] may be used by several goroutines, and each call reads the refs again.
// [RemoveCheckpoints] is the only function that writes: it removes checkpoints whose commits are
// gone.
//
// It guarantees that
//   - a checkpoint in its own ref is preferred to one on a branch, a local one to origin's, and a
//     missing local branch is no error;
//   - many checkpoints cost a few round trips, not one each;
//   - damage in one session or checkpoint is reported with it and hides no other;
//   - a forgotten checkpoint is not found, and the error says that it was forgotten.
package records
