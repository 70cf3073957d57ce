// Command entire saves what AI coding sessions did to a repository: every turn
// as a step that can be gone back to, every commit with the conversation that
// led to it.
//
// This package is the shell around the others: the only one that prints, asks,
// reads the environment, the clock or the current directory, and the only one
// that swallows an error, which it does in hooks, after logging it. What is
// decided is decided elsewhere.
//
// It guarantees that a hook exits 0 whatever happens, never asks, and prints
// nothing but what the agent that called it expects; and that any other command
// says on standard error, in one line, why it failed.
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

// run is the program. Hooks and version come first and past the command tree:
// they are called many times an hour, and mostly have nothing to do.
func run(ctx context.Context, args []string, w *world) int {
	defer w.flush()
	switch {
	case len(args) == 1 && args[0] == "version":
		return w.exit(w.printVersion(false))
	case w.runHook(ctx, args):
		return 0
	}
	single.All()
	ctx, stop := interruptible(ctx)
	defer stop()
	return w.exit(w.execute(ctx, args))
}

// endWithin is how long the program may go on once somebody wants it to end.
const endWithin = 1800 * time.Millisecond

// interruptible is a context that ends when somebody wants the program to end. When they
// want it again, or something that does not listen to the context goes on, the program
// ends at once: whatever it was in the middle of is as if its machine had stopped. Waiting
// for that takes a thread and most of a millisecond: a hook that starts nothing that would
// go on for long does without, for it may be killed at any moment.
func interruptible(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	heard := make(chan os.Signal, 1)
	signal.Notify(heard, os.Interrupt, syscall.SIGTERM)
	go func() {
		select {
		case <-ctx.Done():
			signal.Stop(heard)
		case sig := <-heard:
			signal.Stop(heard)
			cancel()
			time.Sleep(endWithin)
			number, _ := sig.(syscall.Signal)
			os.Exit(128 + int(number))
		}
	}()
	return ctx, cancel
}
