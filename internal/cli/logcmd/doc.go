// Package logcmd has the commands log and show, which show the past as text: the timeline as a list, and
// anything by its ID.
//
// A row is a point of the list in one or two lines; with --graph, the lanes of sessions stand before it. A
// window is the part of the timeline that is read at once, so a long past costs only what is shown of it.
//
// It guarantees that nothing is changed, that text of others is shown and not obeyed, and that JSON has the
// fields of package timeline.
package logcmd
