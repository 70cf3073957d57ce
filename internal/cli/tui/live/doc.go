// Package live is the panel that shows what runs now: the sessions that have not ended with what their
// agents did last, and whether their work is captured, with what to do if it is not.
//
// While it is in view, [Live] looks again every so often, because an agent's transcript tells nobody that it grows. [Read] is
// the message with what it saw, from which the whole program takes its alarm. It changes nothing.
package live
