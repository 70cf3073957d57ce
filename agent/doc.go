// Package agent knows the AI coding agents: what they are called, how the
// payload of one of their hooks becomes an Event, what their transcripts say
// (Conversation sums up, Normalizer gives the messages), what is wrong with one
// (CheckTranscript, RepairTranscript) and how it is forked (ForkTranscript), which
// lines they need in their settings file, and how a session of theirs is resumed.
//
// It is pure: bytes and values in, values out. It opens no file, starts no
// process, and reads neither clock nor environment; what reads or writes a whole
// transcript takes an io.Reader or io.Writer.
//
// Guarantees: a payload that names a hostile session or tool-use ID is refused
// before the ID can become part of a path; anything else that is odd in a
// payload or a transcript is skipped, never fatal; Install followed by Uninstall
// gives back the settings file byte for byte.
package agent
