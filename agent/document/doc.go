// Package document reads and edits transcripts that are one JSON document with a list of messages,
// which the agent writes again with every message. (Other transcripts are lines, one record each.)
//
// [Is] and [Begins] tell the two forms apart, [Parse] finds the messages, [MessageIDs] names them. [Cut] leaves the first
// messages, for a rewind; [Split] and [Join] make parts that git stores well, and the document of the parts again.
//
// No edit changes a byte outside the messages that it takes or leaves. A document that is incomplete, because the agent is
// writing it, is reported ([ErrNone], or false), never guessed. The package is pure.
package document
