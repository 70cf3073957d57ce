// Package queue accepts appends and updates of metadata, and writes them in one goroutine.
//
// A [Queue] belongs to one store. [Queue.AppendBatch] and [Queue.Update] return when the op is
// queued; the first starts the writer and [Queue.Close] ends it. [Queue.AwaitWrites] waits until
// everything that is queued is written, and every reading call of the store begins with it.
//
// Each caller's lines stay in order, and a batch's lines stay together. Every failed write is
// reported: by the next call, at the latest by Close. An error that is [ErrAccepted] is about a
// write that the queue has taken; the caller must not repeat it.
package queue
