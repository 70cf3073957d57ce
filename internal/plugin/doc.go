// Package plugin speaks with programs named entire-agent-NAME, which are adapters of agents that this
// program does not know. The protocol is one JSON object on standard input and one on standard output
// for each command; docs/agents.md has it, step by step.
//
// A [Plugin] is one such program. [Plugin.Adapter] asks it who its agent is and returns an
// agent.Agent, whose methods run the program. [Plugin.Event] reads a hook's payload, and
// [Plugin.Transcript] returns the conversation as lines that this program keeps.
//
// It guarantees that a plug-in that hangs, prints garbage, prints without end, or is missing costs its
// time limit and one error. Whether a plug-in may run at all is for the caller to decide.
package plugin
