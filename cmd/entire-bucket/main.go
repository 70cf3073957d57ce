// The program entire-bucket reaches the bucket with large parts of conversations. `entire` starts it when they are sent or
// needed; nobody needs to call it by hand. It is a program of its own because its library initialises more at each start
// than the hooks of `entire` should pay for.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"

	"entire/internal/bucket"
)

func main() { os.Exit(program()) }

func program() int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := bucket.Serve(ctx, os.Stdin, os.Stdout, os.Environ()); err != nil {
		fmt.Fprintln(os.Stderr, "entire-bucket:", err)
		return 1
	}
	return 0
}
