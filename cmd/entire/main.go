// Command entire records what AI coding sessions did to a repository: every turn as a step that
// `entire rewind` can go back to, every commit with the conversation that led to it.
//
// This package is the user interface of the other packages. Only this package prints, asks, and
// reads the environment, the clock or the current directory; only this package ignores an error,
// which it does in hooks after logging it. The other packages make the decisions.
//
// It guarantees that a hook exits with 0, never asks, and prints only what the calling agent
// expects; and that any other command says on standard error, in one line, why it failed.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	"time"

	"entire/internal/single"
)

func main() { os.Exit(program()) }

func program() int { return run(context.Background(), os.Args[1:], theWorld()) }

// run runs the program. Hooks and version bypass the command tree, because agents and git call
// them many times an hour and they mostly have nothing to do.
func run(ctx context.Context, args []string, w *world) int {
	defer w.flush()
	switch {
	case len(args) == 1 && args[0] == "version":
		return w.exit(w.printVersion(false))
	case w.runHook(ctx, args):
		return 0
	}
	single.All()
	ctx, stop := w.interruptible(ctx)
	defer stop()
	return w.exit(w.execute(ctx, args))
}

// endWithin is how long the program may go on after the first signal to end.
const endWithin = 1800 * time.Millisecond

// interruptible returns a context that a signal to end cancels. A second signal, or work that
// ignores the context, ends the program at once, as if the machine had stopped. Listening takes a
// thread and most of a millisecond, so a hook without long work does not use it: it may be killed
// at any moment.
func (w *world) interruptible(ctx context.Context) (context.Context, context.CancelFunc) {
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
			w.quit(128 + int(number))
		}
	}()
	return ctx, cancel
}
