// Package metadata writes checkpoints to the metadata branch entire/checkpoints/v1, and defines
// the files of a checkpoint.
//
// A checkpoint is a folder <id[:2]>/<id[2:]>/ in the tree of the branch. Its metadata.json is a
// [CheckpointSummary]. Each session of the checkpoint has a numbered folder, its slot, with a
// [CommittedMetadata], the transcript's chunks, the prompts and the context. Messages are a
// session's conversation in the form common to all agents; a message set is the files that
// store it. A link names the checkpoint of a commit whose message does not name it. A
// [Tombstone] says that a checkpoint was forgotten.
//
// A writer fills a [Record] and calls [WriteRecord]; or [BuildRecord] inside [UpdateMetadata], in
// one transaction with other refs. [FinalizeTranscript], [WriteSummary] and [BuildLink] change one
// thing of a checkpoint. Each Build function makes a commit on a given tip and moves no ref.
// A [Folder] is a stored checkpoint as the packages above read it.
//
// It guarantees that
//   - the branch moves by compare-and-swap, after everything it will name is stored; if it
//     moved meanwhile, the change is built again;
//   - one write reads and rewrites one path of the tree, whatever the number of checkpoints;
//   - a session keeps its slot, and no write changes another session's slot, even if that one
//     is damaged;
//   - fields that this version does not know are kept;
//   - nothing is written under the ID of a forgotten checkpoint.
package metadata
