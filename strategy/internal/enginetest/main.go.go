package enginetest

import (
	"context"
	"fmt"
	"os"
	"testing"
)

// RunMain runs the tests of a package, or a hook where this process is one.
func RunMain(m *testing.M) {
	if verb := os.Getenv(asHook); verb != "" {
		if err := actAsHook(context.Background(), verb, os.Args[1:]); err != nil {
			fmt.Fprintln(os.Stderr, "hook:", err)
			note, _ := os.OpenFile(os.Getenv("STRATEGY_TEST_NOTE"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
			fmt.Fprintf(note, "%s: %v\n", verb, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}
