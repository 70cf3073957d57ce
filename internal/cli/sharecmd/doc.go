// Package sharecmd has `entire share ID`, which makes one file of a turn, a checkpoint or a session for somebody
// else.
//
// A subject is what an ID means, with its conversation and its change. A cleaner takes secrets out of it with
// today's rules, and counts them. A preview says what the file would have. The file is a page that shows nothing
// after its expiry, or a parcel: a bundle of `entire share send`, which is refused after its expiry.
//
// It guarantees that every text of a page has passed the redactor once more, that nothing is written before
// a person has agreed, and that a page needs no network.
package sharecmd
