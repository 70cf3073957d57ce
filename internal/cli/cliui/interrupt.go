package cliui

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// HookLimit bounds a hook: agents kill a hook after 30 seconds, and a person waits for it.
const HookLimit = 20 * time.Second

// endWithin is how long the program may go on after the first signal to end.
const endWithin = 1800 * time.Millisecond

// Interruptible returns a context that a signal to end cancels. A second signal, or work that
// ignores the context, ends the program at once, as if the machine had stopped. Listening takes a
// thread and most of a millisecond, so a hook without long work does not use it: it may be killed
// at any moment.
func (env *Env) Interruptible(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		select {
		case <-ctx.Done():
			signal.Stop(signals)
		case sig := <-signals:
			signal.Stop(signals)
			cancel()
			time.Sleep(endWithin)
			number, _ := sig.(syscall.Signal)
			env.Quit(128 + int(number))
		}
	}()
	return ctx, cancel
}
