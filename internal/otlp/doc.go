// Package otlp describes sessions as spans of OpenTelemetry, and sends them to a collector.
//
// A Span has an ID that follows from what it describes, so that a span that is sent twice is the same one. A
// Turns makes spans of a session's messages, turn by turn, by OpenTelemetry's semantic conventions for
// generative AI. A Client gives them to OpenTelemetry's SDK, with the IDs and times that they had, and posts them by
// the SDK's exporter for OTLP over HTTP. Linking that would cost every start of a program about a millisecond, so only
// entire-otel does (docs/telemetry.md).
//
// Without Turns.Content no span has a text of a person, a model or a tool. The package reads no file and knows
// no store; only Client.Send reaches the network.
package otlp
