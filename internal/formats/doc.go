// Package formats turns the owners of a commit's lines into open formats: a record of Agent Trace
// ([Trace]), a note of git-ai ([Note]), findings in SARIF ([Findings]).
//
// The packages below it write, check and read the formats themselves. This package decides what of
// our records a format can say: an agent's lines with the session, a person's only where the format
// does not ask that somebody saw them type. It is pure.
package formats
