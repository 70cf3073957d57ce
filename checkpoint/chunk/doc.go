// Package chunk stores transcripts in git, as blobs of a limited size.
//
// A chunk is one blob of a transcript, named full.jsonl, full.jsonl.001 and so on. A [Log] is a
// transcript that grows: only its last chunk, the tail, is written again. The content hash is
// the SHA-256 of the whole transcript.
//
// A writer appends whole, redacted lines with [Log.Append] and puts [Log.Entries] into a tree. A
// reader joins the chunks of a folder with [TranscriptIn]. [DocumentLog] stores the transcript
// of an agent that writes one JSON document, [StoreTranscript] redacts and stores either form.
//
// It guarantees that
//   - the chunks depend on the transcript's bytes alone, not on how they arrived;
//   - a full chunk is never written again;
//   - joined chunks are the stored bytes;
//   - missing chunks and other content are reported ([MissingChunkError], [HashMismatchError]),
//     together with what is there.
//
// [Batch], [EncodeDocument] and [DecodeDocument] are used by the packages above: requests for
// many objects in one round trip, and the JSON files of the metadata branch.
package chunk
