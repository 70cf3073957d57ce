//go:build unix

package faults

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"entire/internal/testrepo"
)

// binary is the program under test, built once for all tests.
var binary string

func TestMain(m *testing.M) {
	if text := os.Getenv(tracerVar); text != "" {
		var job traced
		err := json.Unmarshal([]byte(text), &job)
		switch {
		case err != nil:
		case job.Filtered:
			err = filtered(job)
		default:
			err = trace(job)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, "trace:", err)
			os.Exit(3)
		}
		os.Exit(0)
	}
	if _, err := os.Stat("/dev/shm"); err == nil && os.Getenv("TMPDIR") == "" {
		os.Setenv("TMPDIR", "/dev/shm")
	}
	dir, err := os.MkdirTemp("", "faults-bin-")
	if err == nil {
		binary = filepath.Join(dir, "entire")
		err = testrepo.BuildInto(dir, "entire")
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "faults: build entire:", err)
		os.Exit(1)
	}
	code := m.Run()
	_ = os.RemoveAll(dir)
	os.Exit(code)
}
