// Package rescue finds the conversations that the programs of agents keep on this machine, of all projects, and
// says which of them belong to a repository.
//
// It asks every adapter where its agent keeps them ([agent.Historian]), walks those places ([Find]) and reads the
// beginning and the end of each conversation: enough to know the session, the working folder, the times, and when
// the agent itself will delete it. It needs no repository and no settings of this program, and it writes nothing.
// Databases are opened for reading only.
//
// It guarantees that what it reads is bounded, whatever is in those folders; that a file that cannot be read is
// told and hides no other; and that it ends soon after its context does.
package rescue
