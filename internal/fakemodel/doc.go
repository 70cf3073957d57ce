// Package fakemodel is a scripted language model on loopback, for running the real programs of coding agents without a
// network. One server speaks four protocols: Anthropic Messages, OpenAI Responses, OpenAI chat completions and Gemini's
// generateContent, each streamed and not.
//
// A Script says what the model does. The last prompt that contains the Match of an Exchange chooses the exchange; the
// number of tool results that follow the prompt chooses the step. The server keeps no conversation: a client that resumes,
// cuts or forks one gets the answers that fit what it sends. A step that names a gate waits until the test opens it, so
// that a test can act in the middle of a turn.
//
// Actions are written once for all clients. The server finds the client's tool for an action by name, and the tool's
// parameters in the schema that the client sends.
//
// Every answer reports tokens, different ones each time. Ledger returns what was reported and the requests' bodies, so that
// a test can compare both with what was recorded.
//
// It is not a model: it understands nothing, and it is only for tests.
package fakemodel
