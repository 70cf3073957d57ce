// Package turn carries out the events of an agent's turn: its start and end, tool calls, and subagents
// (tasks).
//
// A turn lasts from a prompt to the agent's answer. At its start the package records what the
// worktree was and saves a person's changes as a step; at its end it saves the agent's. An event that
// is late or missing is made up for by the next one.
package turn
