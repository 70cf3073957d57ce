// Package otelexport sends what sessions did to a collector of OpenTelemetry: spans of turns, answers, tool calls,
// checkpoints and rewinds, for `entire export otel`. Only the program entire-otel links it.
//
// It reads the store, the metadata branch and the log of rewinds, and is never called by a hook. What was sent is
// noted in the data directory, for each collector, so that a further call sends only what is new; a call that was
// killed sends at most the last request again, with the same IDs. Nothing else is changed.
package otelexport
