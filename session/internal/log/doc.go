// Package log reads, appends to and shares the logs of a session: files of JSON lines.
//
// A log consists of parts. The last part is the session's own file; earlier parts are files that
// a fork shares with the session that it was made from. A part may be packed: its beginning is then
// compressed in a file beside it, and [File] reads both as one.
//
// [AppendLines] adds whole lines at the end and first moves a torn last line, which a killed writer
// left, to a file of its own. Complete lines are never rewritten. Reading takes no lock and needs
// memory for one line.
package log
