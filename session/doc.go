// Package session keeps the state of agents' sessions: what phase each is in,
// what it has touched, and where its next step belongs.
//
// It is not the record of what was said or changed (checkpoints hold that) and
// it knows nothing of git: commits are strings here.
//
// Which phase follows an event is a pure function, Transition. StateStore keeps
// one JSON file per session in <git common dir>/entire-sessions, shared by all
// worktrees and by other programs that know the format; it replaces files whole,
// keeps fields it does not know, and never deletes anything by listing it. What
// only this program needs lies in a directory beside each file.
//
// A state that is changed on the ground of what it says is changed under its
// session's lock. Whoever takes several takes them in ascending order of ID.
package session
