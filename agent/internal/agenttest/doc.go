// Package agenttest has what several packages of agent need in their tests: transcripts of
// every kind (NormalizeRows, Claude, Lines), arbitrary JSON (JsonGen), and an independent
// count of messages. No program imports it.
package agenttest
