package files

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
)

var aDay = time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)

// TestMain lets this binary be one of several processes at one session's files: os.Args is then
// {binary, "files", job, ...}.
func TestMain(m *testing.M) {
	if len(os.Args) > 4 && os.Args[1] == "files" {
		if err := filesJob(os.Args[2], os.Args[3:]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	if len(os.Args) > 1 && !strings.HasPrefix(os.Args[1], "-test.") {
		os.Exit(2) // a child of a test that is to do something else must never run the tests again
	}
	goleak.VerifyTestMain(m)
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
