// Package base is the common part of the adapters whose agents run commands as hooks. An adapter
// embeds *Base, which holds what can be said in a table: names, verbs, hooks, and the profile. What is
// left to write is how the payload's own fields become an event (Base.Read), where transcripts
// are, and the transcript's records.
//
// Base guarantees that it never fails on unknown fields, and that an ID that it returns is safe as
// part of a path.
package base
