package attribsuite

import (
	"fmt"
	"os"
	"testing"
	"time"

	"entire/internal/histories"
	"entire/internal/testrepo"
)

// What TestMain sets before any test runs.
var (
	bin    = "" // the folder with the program under test
	limit  = time.Duration(histories.Number("ATTRIBUTION_SECONDS", 0)) * time.Second
	chatty = os.Getenv("ATTRIBUTION_UNKNOWN") != "" // shows each statement, and each line that is unknown
)

func TestMain(m *testing.M) {
	if _, err := os.Stat("/dev/shm"); err == nil && os.Getenv("TMPDIR") == "" {
		os.Setenv("TMPDIR", "/dev/shm")
	}
	dir, err := os.MkdirTemp("", "attribsuite-")
	if err == nil {
		bin = dir
		err = testrepo.BuildInto(dir, "entire")
	}
	if err == nil {
		err = histories.WriteEditor(dir)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "attribsuite:", err)
		os.Exit(1)
	}
	code := m.Run()
	_ = os.RemoveAll(dir)
	os.Exit(code)
}
