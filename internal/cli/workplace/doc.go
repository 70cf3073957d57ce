// Package workplace opens the worktree around the current directory for a command or a hook.
//
// Its nouns: a [Place] is a worktree or a folder outside git, as far as a few file reads show it; it
// suffices to find that a hook has nothing to do. A [Workplace] is an open worktree with its
// repository, settings, engine, session states and log. A meaning is what a person's name for a
// session, point, checkpoint or commit turned out to be. A view, such as [PointView], is what
// commands print of a point, as text and as JSON.
//
// A command calls [Open], which finishes what a crash interrupted, or [OpenEnabled], which says so
// where Entire is disabled, and closes the workplace at its end. The rest is what several groups of
// commands do with an open worktree: they read the branch's history and checkpoints, complete names,
// change an agent's settings file, feed the session store and drop search indexes.
//
// It guarantees that the commands about points work in a folder outside git too: its files are kept
// in a repository below the user's data directory.
package workplace
