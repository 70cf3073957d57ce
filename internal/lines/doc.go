// Package lines reads the lines of a stream, each up to a limit.
//
// It is the one reader of lines that come piece by piece: messages of a client, answers of a program,
// transcripts, the sessions' logs. A text in memory needs none: bytes.Lines walks its lines.
package lines
