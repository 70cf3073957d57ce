// Package summarize asks an AI agent's command-line program for the summary of a checkpoint.
// Building the question and parsing the answer are pure. Running the program is bounded in time and
// output, and ends all processes in its group. Waiting requests are files in the repository (see
// [Enqueue] and [Drain]); a process that works on them can outlive its caller (see [Detach]).
//
// The package stores no summaries and reads no settings. It guarantees that the text it sends is
// redacted and that summaries have the stored format.
package summarize
