// Package session keeps what is known of agents' sessions: their state between
// two hooks, and, for whoever wants that, what was said in them.
//
// It is not the record of what was changed (checkpoints hold that) and it knows
// nothing of git: commits are strings here.
//
// A session's state is what phase it is in, what it has touched, and where its
// next step belongs. Which phase follows an event is a pure function,
// Transition. StateStore keeps one JSON file per session in <git common
// dir>/entire-sessions, shared by all worktrees and by other programs that know
// the format; it replaces files whole, keeps fields it does not know, and never
// deletes anything by listing it. What only this program needs, and the locks, lie
// apart from it in <git common dir>/entire/sessions.
//
// A state that is changed on the ground of what it says is changed under its
// session's lock. Whoever takes several takes them in ascending order of ID.
//
// A session's conversation is its messages, the agent's own stream, and files as
// they were before tools changed them. Store keeps conversations in the user's
// data directory, a folder for each, in git repositories and outside; it serves
// an agent written in Go as well as our hooks. It guarantees that a line, once
// complete on disk, is never rewritten, torn or deleted, whatever is killed; that
// each caller's lines stay in order; that what could not be written is said; and
// that reading needs memory for one line, not for a session. Its locks are of one
// conversation each, and nobody holds two.
package session
