// Package filelog reads from an agent's transcript what files contained.
//
// A Reader takes one line after the other, and returns Facts: what a call wrote, replaced or patched once its
// result says that it succeeded, what it was shown, and what the agent's program noted about the file
// (agent.FileTeller). It also reads shell commands that name a file's whole content: a here-document, `cat`, and
// `sed -n`. For Facts that only a tool's input and result tell, the members' names decide, so that it works for
// every agent.
//
// It remembers only the calls that have no result yet, and is pure.
package filelog
