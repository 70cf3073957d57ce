package attribsuite

import (
	"fmt"
	"os"
	"strconv"
	"testing"
	"time"

	"entire/internal/testrepo"
)

// What TestMain sets before any test runs.
var (
	bin      = "" // the folder with the program under test
	limit    = time.Duration(number("ATTRIBUTION_SECONDS", 0)) * time.Second
	seed     = number("ATTRIBUTION_SEED", 1)
	patience = time.Duration(number("ATTRIBUTION_SHRINK", 240)) * time.Second // to make a failed history shorter
	rounds   = number("ATTRIBUTION_ROUNDS", 24)
	chatty   = os.Getenv("ATTRIBUTION_UNKNOWN") != "" // shows each statement, and each line that is unknown
)

func number(name string, otherwise int) int {
	if n, err := strconv.Atoi(os.Getenv(name)); err == nil {
		return n
	}
	return otherwise
}

func TestMain(m *testing.M) {
	if _, err := os.Stat("/dev/shm"); err == nil && os.Getenv("TMPDIR") == "" {
		os.Setenv("TMPDIR", "/dev/shm")
	}
	dir, err := os.MkdirTemp("", "attribsuite-")
	if err == nil {
		bin = dir
		err = testrepo.BuildInto(dir, "entire")
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "attribsuite:", err)
		os.Exit(1)
	}
	code := m.Run()
	_ = os.RemoveAll(dir)
	os.Exit(code)
}
