// Package intake brings conversations that package rescue found into the stores of the projects they belong to, as
// the hooks of their agents would have done.
//
// An [Importer] feeds one conversation after the other (internal/feed), without secrets. What was done with each one
// is remembered ([rescue.Memory]), so that the next run opens only what has changed.
//
// It guarantees that nothing is stored twice: a session that a store has, from hooks or an earlier run, gets only what
// is new; one that begins with another session's messages shares them, as a fork does; one that has no others
// besides is left out; one that a person deleted does not come back while its transcript stays as it was. It is
// killed at any time without harm: what was read is stored, and the next run goes on from there.
package intake
