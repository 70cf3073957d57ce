// Package sessionlib finds the sessions that the current directory gives access to, and reads,
// imports and resumes them.
//
// Its nouns: a [Library] is the session store of this project, with the stores of other projects, the
// states of this repository and the sessions on the metadata branch. A [ListedSession] is one session
// as all of these together describe it. An entry is one message of a stored conversation; entries
// that a rewind took back are known as such.
//
// A command calls [WithLibrary], finds a session by a beginning of its ID (Library.Find), and then
// shows its conversation, resumes or forks it, or brings a session of another project here.
//
// It guarantees that a session appears once, whatever sources know it, and that nothing is changed by
// reading, except that conversations stored under a project's former key move to its present one.
package sessionlib
