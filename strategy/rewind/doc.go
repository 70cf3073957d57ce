// Package rewind plans and carries out a way back to a point, and back again.
//
// A plan ([Plan]) says for every path what the rewind would write, remove or keep, and why;
// making it changes nothing. Sessions that came one after another go back together; files of a session
// at work stay. Every rewind first saves the present as a point and adds an entry to the rewind log,
// from which undo and redo are planned. [Rewind] holds the rewind lock, then the locks of the sessions.
package rewind
