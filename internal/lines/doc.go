// Package lines reads the lines of a stream, each up to a limit.
//
// It is the one reader of lines that come piece by piece: messages of a client, answers of a program,
// transcripts, the sessions' logs. A text in memory needs none: bytes.Lines walks its lines. What passes
// bytes on while it listens (internal/acp) or is written to (the mirror of internal/git) is no reader.
package lines
