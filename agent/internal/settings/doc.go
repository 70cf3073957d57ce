// Package settings adds hooks to an agent's JSON settings and removes them, for the adapters
// whose agents have lists of hooks by event. A Table describes the hooks of an agent, and
// installs and removes them; Remove, NewFile and Container serve an adapter that changes more.
// Has and HasTOML read a switch.
//
// It guarantees: it changes the text only where a hook of this program is or will be.
package settings
