// Package live is the panel that shows what runs now: the sessions that have not ended with what their
// agents did last, and whether their work is captured, with what to do if it is not.
package live
