// Package conversation says what a transcript means, for every agent in the same way: it works
// on the agent.Records that an agent's adapter makes of a line (ReadLine), and on nothing else.
//
// Conversation is the summary of a transcript's lines so far: prompts, tool calls, edited
// files, usage. It takes one line at a time and is stored between two hooks; a Mark is a
// position in it. Normalizer returns the transcript's messages, for storage. Passages
// returns what was said and done with the agent's thoughts, for people; Line.Writes and
// Line.Patched return the lines that edit calls wrote, as evidence of who wrote a line.
//
// It guarantees: whatever cannot be read is counted and skipped, never fatal. A
// Conversation and a Normalizer have a bounded size, and give the same result whether or
// not they were stored as JSON between any two lines.
package conversation
