// Package lineage finds who wrote each line of a file: git's blame names the commit that
// brought the line, and the records in checkpoints ([entire/internal/attribution]) name
// its owner: an agent, a person, or unknown.
//
// It looks for a commit's lines in the checkpoints that the commit names. Where the commit
// differs from the one that the checkpoint recorded (it was amended, rebased or squashed),
// it matches the lines by their prints. A commit that names no checkpoint, because its
// message was rewritten, is compared with all checkpoints of the same files. A line that a
// commit only moved or reformatted keeps its owner.
//
// The lines that a commit gave a file get their origins in this order (findOrigins). A line that has an origin keeps it, except
// in 3 and 8 to 10:
//
//  1. fromSame: all lines, if the commit's checkpoints record exactly these. fromSeveral: if the commit names several
//     checkpoints, the lines that one of them records as an agent's, then those that one records as unknown.
//  2. inVersion: the owners in the record of exactly this version.
//  3. inOtherFiles: lines that the commit removed from another file, and that are followed there, also if the record names who
//     moved them.
//  4. inRecord: lines that match those in the records of the commit's checkpoints; then inRecordedVersions: lines that a
//     formatter made of them; then bySummary, where a checkpoint has no record of lines.
//  5. byContent: lines that match those in records of other commits (matchAll, markReturned), that a new file was copied
//     with (fromCopied), or that an earlier commit removed from another file (assignMovedOut).
//  6. assignRemembered, markUnrecorded: lines that a session remembers, and those that are older than the tool (olderThanTool).
//  7. assignRemaining: what is left is a person's, or unknown if the checkpoints do not record everything.
//  8. assignEarlier: lines that are older than the tool, or that earlier checkpoints give to another owner.
//  9. recordedMovedOut: blocks of an agent's lines that an earlier commit removed from another file, such as a former name.
//  10. fromHistory: unknown lines that another commit wrote first, beside one of their neighbours.
//
// The package writes nothing but a cache, and needs no network, daemon or hook. Where the
// evidence is insufficient, the owner is unknown.
package lineage
