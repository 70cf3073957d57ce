// Package summarize asks an AI agent's own command-line program what a
// checkpoint was about.
//
// Building the question and reading the answer are pure. Running the program is
// bounded in time and in what is read of its answer, and ends with every process
// that it started in its group. Requests that wait for their turn are files of
// the repository (see [Enqueue] and [Drain]); a process that works on them can
// outlive its caller (see [Detach]).
//
// The package stores no summary and decides about no setting. It guarantees that
// text it sends away is redacted, and that what it returns has the shape that is
// stored.
package summarize
