// Package cursor is the adapter for Cursor, the editor and its command line: hooks in .cursor/hooks.json,
// payloads, and transcripts, which are lines of messages in Claude Code's form without times, results
// and tokens. It is made from documentation and from payloads that others recorded; it was never tried
// with the program.
package cursor
