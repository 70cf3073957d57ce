// Package conversation knows what the lines of a session's logs mean: messages, records of
// rewinds, and the metadata that sums them up.
//
// A [Message] is one line of messages.jsonl. [SessionMetadata] is the content of metadata.json; its
// counts are the tally of the messages, and [UpdateCounts] adds what was appended since they were written.
// A view is the set of lines that make up the conversation after rewinds: a rewind appends a record
// and removes nothing.
//
// Fields that this program does not know stay as they are when a line or metadata.json is written.
// A damaged line is reported as a log.BadLineError and skipped; it never hides the lines after it.
package conversation
