// Package opencode is the adapter for OpenCode, and for Kilo, which is made from it. Adapter implements
// agent.Agent and agent.RecordReader; OpenCode and Kilo are its two values.
//
// Neither agent runs commands as hooks, and both keep conversations in a database. So this program
// installs one plugin (plugin.js), which runs `entire hooks opencode turn-end` and gives it the
// conversation as the agent's own interface returns it. The adapter makes lines of it, one for each
// message, which this program keeps beside the session's state. While a turn runs, the plugin tells on a
// socket what was said so far (SaidSoFar). It also leaves out of what the model is told the messages that a
// rewind has taken back: the agent's database never changes.
//
// It guarantees that the same messages give the same lines, and that a message which does not change
// gives the same line at every turn's end.
package opencode
