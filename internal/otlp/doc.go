// Package otlp describes sessions as spans of OpenTelemetry, and sends them to a collector.
//
// A Span has an ID that follows from what it describes, so that a span that is sent twice is the same one. A
// Turns makes spans of a session's messages, turn by turn, by OpenTelemetry's semantic conventions for
// generative AI. A Client posts spans by OTLP over HTTP, in its JSON encoding: linking the SDK or the protocol's
// generated code would cost every start of the program about a millisecond (docs/telemetry.md).
//
// Without Turns.Content no span has a text of a person, a model or a tool. The package reads no file and knows
// no store; only Client.Send reaches the network.
package otlp
