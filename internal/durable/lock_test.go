package durable

import (
	"bufio"
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

func TestLockExcludesProcesses(t *testing.T) {
	t.Parallel()
	for _, release := range []string{"release", "discard"} {
		t.Run(release, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			counter, lockFile := filepath.Join(dir, "counter"), filepath.Join(dir, "locks", "counter.lock")
			if err := WriteFile(counter, []byte("0"), 0o600); err != nil {
				t.Fatal(err)
			}
			var running []*exec.Cmd
			for range 6 {
				cmd := job(t, "increment", counter, lockFile, "40", release)
				if err := cmd.Start(); err != nil {
					t.Fatal(err)
				}
				running = append(running, cmd)
			}
			for _, cmd := range running {
				if err := cmd.Wait(); err != nil {
					t.Error(err)
				}
			}
			if got := read(t, counter); got != "240" {
				t.Errorf("240 increments counted as %s", got)
			}
			_, err := os.Lstat(lockFile)
			if gone := errors.Is(err, fs.ErrNotExist); gone != (release == "discard" && runtime.GOOS != "windows") {
				t.Errorf("lock file after %s: %v", release, err)
			}
		})
	}
}

func TestLockDiesWithItsProcess(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "a.lock")
	cmd := job(t, "hold", path)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		t.Fatalf("read %q: %v", line, err)
	}

	short, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	_, err = Acquire(short, path)
	if !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), path) {
		t.Errorf("while it was held: %v", err)
	}

	if _, err := AcquireWithin(path, 20*time.Millisecond); !errors.Is(err, ErrHeld) {
		t.Errorf("while it was held: %v", err)
	}

	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	cmd.Wait()
	l, err := Acquire(t.Context(), path)
	if err != nil {
		t.Fatalf("after its holder was killed: %v", err)
	}
	if err := l.Release(); err != nil {
		t.Error(err)
	}
}

func TestLockWithinAProcess(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "a.lock")
	first, err := Acquire(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	got := make(chan *Lock)
	go func() {
		second, err := AcquireWithin(path, time.Minute)
		if err != nil {
			t.Error(err)
		}
		got <- second
	}()
	select {
	case <-got:
		t.Fatal("two holders")
	case <-time.After(30 * time.Millisecond):
	}
	if err := first.Release(); err != nil {
		t.Fatal(err)
	}
	second := <-got
	for range 2 {
		if err := errors.Join(first.Release(), second.Release()); err != nil {
			t.Errorf("released twice: %v", err)
		}
	}
	if err := (*Lock)(nil).Release(); err != nil {
		t.Errorf("nil lock: %v", err)
	}
}

func TestAcquireErrors(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	for _, tc := range []struct {
		name string
		ctx  context.Context
		path string
	}{
		{"below a file", t.Context(), filepath.Join(file, "a.lock")},
		{"at a directory", t.Context(), dir},
		{"cancelled", cancelled, filepath.Join(dir, "a.lock")},
	} {
		l, err := Acquire(tc.ctx, tc.path)
		if err == nil || l != nil {
			t.Fatalf("%s: got a lock", tc.name)
		}
		if m := err.Error(); !strings.HasPrefix(m, "lock "+tc.path+": ") || strings.Contains(m, "\n") {
			t.Errorf("%s: error %q", tc.name, m)
		}
	}
}
