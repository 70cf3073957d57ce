// Package timeline is the past of a worktree as one list, newest first: what `entire log`, the
// terminal program, the web view and scripts show.
//
// A Point is one moment of it: the end of a turn, a subagent's task, an automatic step, a label, a
// commit of HEAD's history, or a rewind. A Window is a part of the list; the Timeline reads only as
// much of the past as the windows that were asked for. A Lane is the column in which the points of
// one session are drawn. Details are what a point alone shows: the prompt, what was said, and which
// files changed.
//
//	tl := timeline.New(env)
//	w, err := tl.Window(ctx, 0, 100)
//	d, err := tl.Details(ctx, w.Points[0].ID)
//
// A Timeline may be used by several goroutines; one call at a time reads the repository. It changes
// nothing: Present writes objects that no ref names. A Timeline shows the past as it was when the list
// was first read; Refresh forgets what was read if a ref, the log of rewinds or HEAD has moved since,
// and Watch says when to look.
package timeline
