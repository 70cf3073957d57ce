// Package hookcmd runs the hooks of agents and of git (`entire hooks …`), and the work that they
// leave to a process of its own: summaries and the removal of old turns.
//
// A hook is one event: [Run] recognizes its command line, reads the payload, opens the worktree,
// gives the event to the engine, and then feeds the session store. [Register] adds the commands
// that show help for hooks, and the hidden ones that hooks start later.
//
// It guarantees that a hook exits with 0 within its time limit, never asks, prints only what the
// calling agent expects, logs its errors, and reads nothing where Entire is disabled.
package hookcmd
