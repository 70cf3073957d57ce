// Package agent knows the AI coding agents: their names, how the payload of a hook becomes
// an Event, what a transcript contains (Conversation summarizes it, Normalizer returns its
// messages), how to check, repair and fork a transcript (CheckTranscript,
// RepairTranscript, ForkTranscript), which hooks to install in a settings file, and how to
// resume a session.
//
// The package is pure: bytes and values in, bytes and values out. It opens no file, starts
// no process, and reads neither clock nor environment; functions that read or write a
// whole transcript take an io.Reader or io.Writer.
//
// It guarantees: Decode refuses a payload with an unsafe session or tool-use ID before the
// ID can become part of a path. Anything else that is unexpected in a payload or a
// transcript is skipped and never fatal. Install followed by Uninstall returns the
// settings file byte for byte.
package agent
