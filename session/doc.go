// Package session stores the agents' sessions: their state between two hooks and, if the user
// wants it, their conversations.
//
// It does not record what was changed (checkpoints do), and it knows nothing of git: commits
// are strings here.
//
// The state of a session says what phase the session is in, which files it touched, and where
// its next step belongs. Transition, a pure function, says which phase follows an event.
// StateStore keeps one JSON file per session in <git common dir>/entire-sessions, which all
// worktrees and other programs share. It replaces files as a whole, keeps fields it does not
// know, and never deletes a file because of a listing. Locks and data that only this program
// needs lie apart, in <git common dir>/entire/sessions.
//
// A caller that changes a state depending on its content holds the session's lock. A caller
// that needs several locks takes them in ascending order of ID.
//
// The conversation of a session consists of its messages, the agent's own stream, and the files
// as they were before tools changed them. Store keeps each conversation in a folder of its own
// in the user's data directory, for sessions inside and outside git repositories. It serves our
// hooks, and agents written in Go. It guarantees that a complete line on disk is never
// rewritten, torn or deleted, whatever process is killed; that each caller's lines stay in
// order; that every failed write is reported; and that reading needs memory for one line, not
// for a session. Each of its locks guards one conversation, and no caller holds two.
//
// This package is the documented API, and the code of the states. The packages below
// session/internal store the conversations, lowest first: layout, log, conversation, files, index,
// queue, pack, trash, staging. Their exported types have aliases here (aliases.go).
package session
