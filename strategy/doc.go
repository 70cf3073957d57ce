// Package strategy is the documented API of the engine for other programs: it lists the sessions
// of a repository, commits a piece of an agent's work, and condenses a session into a checkpoint.
// Functions that take a repository need one that go-git opens, as package checkpoint says; the
// others work with refs in tables, too.
//
// The program itself does not import this package. It uses the packages below. Each does one part
// of the work; imports go from the first line towards the last one only:
//
//	engine        carries out one event of an agent or one git hook
//	share         pushes and fetches checkpoints and sessions
//	maintain      status, doctor, clean, reset, forget
//	handoff       sends a session with its files to another machine
//	resume        lists stored sessions and restores their transcripts
//	autocommit    makes a commit at the end of a turn
//	turn          starts and ends turns, tasks and tool calls
//	rewind        plans and applies a way back to a point
//	restore       replaces files with a journal, so that a crash loses nothing
//	link          adds the trailer to a commit, and finds commits that no hook saw
//	condense      turns steps into a checkpoint, and carries the remainder forward
//	ownership     decides who wrote each line of a commit
//	evidence      decides which sessions a commit belongs to
//	githead       reads HEAD, its reflog and the git operation in progress
//	transcript    reads transcripts, and cuts and restores them
//	step          reads and writes steps on shadow branches
//	worktree      takes snapshots of the worktree
//	sessionstate  holds the options, the repository, and a session under its lock
package strategy
