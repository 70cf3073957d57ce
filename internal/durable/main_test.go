package durable

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"
)

// Jobs are what this test binary does when it is started again as another
// process: os.Args is {binary, "job", name, arguments...}.
var jobs = map[string]func(args []string) error{
	"increment": jobIncrement,
	"hold":      jobHold,
	"write":     jobWrite,
}

func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == "job" {
		run := jobs[os.Args[2]]
		if run == nil {
			run = systemJobs[os.Args[2]]
		}
		if err := run(os.Args[3:]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// job is a process of this binary that has been set up but not started.
func job(t *testing.T, name string, args ...string) *exec.Cmd {
	t.Helper()
	binary, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(binary, append([]string{"job", name}, args...)...)
	cmd.Stderr = os.Stderr
	return cmd
}

// jobIncrement adds one to a decimal counter n times, under the lock. With
// "discard" the lock file is deleted each time.
func jobIncrement(args []string) error {
	counter, lockFile, n, release := args[0], args[1], args[2], args[3]
	times, err := strconv.Atoi(n)
	if err != nil {
		return err
	}
	for range times {
		l, err := Acquire(context.Background(), lockFile)
		if err != nil {
			return err
		}
		data, err := os.ReadFile(counter)
		if err != nil {
			return err
		}
		v, err := strconv.Atoi(string(data))
		if err != nil {
			return err
		}
		if err := WriteCache(counter, []byte(strconv.Itoa(v+1)), 0o600); err != nil {
			return err
		}
		if release == "discard" {
			err = l.Discard()
		} else {
			err = l.Release()
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// jobHold takes a lock, says so, and keeps it until killed.
func jobHold(args []string) error {
	if _, err := Acquire(context.Background(), args[0]); err != nil {
		return err
	}
	fmt.Println("held")
	time.Sleep(time.Hour)
	return nil
}

// jobWrite writes path n times (for ever if n is 0), alternating between this
// process's two contents. See intact.
func jobWrite(args []string) error {
	path, letter := args[0], args[1]
	n, err := strconv.Atoi(args[2])
	if err != nil {
		return err
	}
	for i := 0; n == 0 || i < n; i++ {
		if err := WriteFile(path, content(letter, i%2), 0o600); err != nil {
			return err
		}
	}
	return nil
}

func content(letter string, i int) []byte {
	size := 300_000 - i*200_000
	return []byte(strings.Repeat(letter, size) + "\n" + strconv.Itoa(size))
}

// intact reports whether data is one of the things content returns.
func intact(data []byte) bool {
	if len(data) == 0 {
		return false
	}
	for i := range 2 {
		if string(data) == string(content(string(data[:1]), i)) {
			return true
		}
	}
	return false
}
