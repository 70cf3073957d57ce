// Package settings adds hooks to an agent's JSON settings and removes them, for the adapters
// whose agents have lists of hooks by event: Parse, AddHook, CommandsOf, RunsHook, and Hooks
// for removal.
//
// It guarantees: it changes the text only where a hook of this program is or will be.
package settings
