package durable

import (
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

func TestWriteFile(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name  string
		write func(string, []byte, os.FileMode) error
	}{{"WriteFile", WriteFile}, {"WriteCache", WriteCache}} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			top := t.TempDir()
			path := filepath.Join(top, "a", "b", "file.json")
			for _, want := range []string{"first", "", "second, longer"} {
				if err := tc.write(path, []byte(want), 0o640); err != nil {
					t.Fatal(err)
				}
				if got := read(t, path); got != want {
					t.Errorf("content %q, want %q", got, want)
				}
			}
			if got := names(t, filepath.Dir(path)); len(got) != 1 {
				t.Errorf("directory holds %q", got)
			}
			if runtime.GOOS == "windows" {
				return
			}
			if m := mode(t, path); m != 0o640 {
				t.Errorf("file mode %o, want 640", m)
			}
			if m := mode(t, filepath.Join(top, "a")); m|0o050 != 0o750 { // a umask may forbid the group's part
				t.Errorf("directory mode %o, want 750", m)
			}
		})
	}
}

func TestWriteFileLongName(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), strings.Repeat("n", 255))
	if err := WriteFile(path, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := read(t, path); got != "x" {
		t.Errorf("content %q", got)
	}
}

func TestWriteFileReplacesLink(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	outside, link := filepath.Join(dir, "outside"), filepath.Join(dir, "link")
	if err := os.WriteFile(outside, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, link); err != nil {
		t.Fatal(err)
	}
	if err := WriteFile(link, []byte("new"), 0o600); err != nil {
		t.Fatal(err)
	}
	if read(t, outside) != "mine" || read(t, link) != "new" {
		t.Errorf("outside %q, link %q", read(t, outside), read(t, link))
	}
}

func TestWriteFileErrors(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	full := filepath.Join(dir, "full")
	if err := os.MkdirAll(filepath.Join(full, "x"), 0o750); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct{ name, path, shown string }{
		{"below a file", filepath.Join(file, "x"), filepath.Join(file, "x")},
		{"far below a file", filepath.Join(file, "x", "y"), filepath.Join(file, "x", "y")},
		{"onto a directory", full, full},
		{"name too long", filepath.Join(dir, strings.Repeat("n", 256)), dir},
		{"newline in the name", filepath.Join(file, "a\nb"), `a\nb"`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			err := WriteFile(tc.path, []byte("new"), 0o600)
			if err == nil {
				t.Fatal("no error")
			}
			m := err.Error()
			if !strings.HasPrefix(m, "write ") || !strings.Contains(m, tc.shown) || strings.ContainsAny(m, "\n") {
				t.Errorf("error %q", m)
			}
			if strings.Contains(m, tempMark) {
				t.Errorf("error %q names the temporary file", m)
			}
		})
	}
	t.Cleanup(func() {
		if got := names(t, dir); len(got) != 2 {
			t.Errorf("directory holds %q after errors", got)
		}
		if read(t, file) != "old" {
			t.Errorf("file is %q after errors", read(t, file))
		}
	})
}

func TestRemove(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "file")
	if err := WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := Remove(path); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
			t.Fatalf("still there: %v", err)
		}
	}
	if err := Remove(filepath.Join(dir, "absent", "file")); err != nil {
		t.Errorf("absent directory: %v", err)
	}
	if err := WriteFile(filepath.Join(dir, "d", "x"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := Remove(filepath.Join(dir, "d")); err == nil || !strings.HasPrefix(err.Error(), "remove ") {
		t.Errorf("removing a full directory: %v", err)
	}
}

func TestSweep(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	old := time.Now().Add(-2 * time.Hour)
	for _, tc := range []struct {
		name string
		age  time.Time
		kept bool
	}{
		{"a.json.tmp-entire-123", old, false},
		{"fresh.tmp-entire-123", time.Now(), true},
		{"a.json.tmp-123", old, true},
		{"notes.tmp-entire-mine", old, true},
		{"a.tmp-entire-", old, true},
		{"a.json", old, true},
	} {
		path := filepath.Join(dir, tc.name)
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, tc.age, tc.age); err != nil {
			t.Fatal(err)
		}
		if err := WriteFile(filepath.Join(dir, "other"), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Lstat(path); (err == nil) != tc.kept {
			t.Errorf("%s: %v, want kept %v", tc.name, err, tc.kept)
		}
	}
}

func TestClock(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "new")
	before, err := Clock(dir)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "file")
	if err := WriteCache(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	after, err := Clock(dir)
	if err != nil || info.ModTime().Before(before) || after.Before(info.ModTime()) {
		t.Errorf("clock %v, file %v, clock %v, %v", before, info.ModTime(), after, err)
	}
	if got := names(t, dir); len(got) != 1 {
		t.Errorf("directory holds %q", got)
	}
	if _, err := Clock(path); err == nil || !strings.Contains(err.Error(), path) {
		t.Errorf("clock of a file: %v", err)
	}
}

func TestKilledWriters(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "file")
	if err := WriteFile(path, content("z", 0), 0o600); err != nil {
		t.Fatal(err)
	}
	changed := 0
	for i := range 25 {
		before := read(t, path)
		cmd := job(t, "write", path, string(rune('a'+i)), "0")
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		// Every other writer is let go until it has written once, however slowly
		// it starts here.
		for deadline := time.Now().Add(time.Minute); i%2 == 0 && read(t, path) == before && time.Now().Before(deadline); {
			time.Sleep(time.Millisecond)
		}
		time.Sleep(time.Duration(rand.IntN(20_000)) * time.Microsecond)
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		cmd.Wait()
		after := read(t, path)
		if !intact([]byte(after)) {
			t.Fatalf("round %d: torn file of %d bytes", i, len(after))
		}
		if after != before {
			changed++
		}
	}
	if changed == 0 {
		t.Error("no writer got far enough for the test to mean anything")
	}
	old := time.Now().Add(-2 * time.Hour)
	for _, name := range names(t, dir) {
		if err := os.Chtimes(filepath.Join(dir, name), old, old); err != nil {
			t.Fatal(err)
		}
	}
	if err := WriteFile(path, []byte("end"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := names(t, dir); len(got) != 1 {
		t.Errorf("leftovers: %q", got)
	}
}

func TestConcurrentWriters(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "file")
	var running []*exec.Cmd
	for i := range 4 {
		cmd := job(t, "write", path, string(rune('a'+i)), "20")
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		running = append(running, cmd)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for _, cmd := range running {
			if err := cmd.Wait(); err != nil {
				t.Errorf("writer: %v", err)
			}
		}
	}()
	reads := 0
	for busy := true; busy; {
		select {
		case <-done:
			busy = false
		default:
		}
		data, err := Read(path, 1<<20)
		if errors.Is(err, fs.ErrNotExist) && reads == 0 {
			continue
		}
		if err != nil || !intact(data) {
			t.Errorf("read %d: torn file of %d bytes, %v", reads, len(data), err)
			break
		}
		reads++
	}
	<-done
	if reads < 2 {
		t.Errorf("only %d reads", reads)
	}
	if got := names(t, dir); len(got) != 1 {
		t.Errorf("leftovers: %q", got)
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	data, err := Read(path, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func names(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, e := range entries {
		out = append(out, e.Name())
	}
	return out
}

func mode(t *testing.T, path string) os.FileMode {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info.Mode().Perm()
}

// TestWriteNew has several write a file that is not there: one does, and its bytes stay.
func TestWriteNew(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "deep", "new")
	const writers = 8
	wrote := make(chan string, writers)
	var all sync.WaitGroup
	for i := range writers {
		all.Go(func() {
			text := strings.Repeat(strconv.Itoa(i), 10_000)
			switch err := WriteNew(path, strings.NewReader(text), 0o600); {
			case err == nil:
				wrote <- text
			case !errors.Is(err, fs.ErrExist):
				t.Error(err)
			}
		})
	}
	all.Wait()
	close(wrote)
	if len(wrote) != 1 {
		t.Fatalf("%d of %d wrote it", len(wrote), writers)
	}
	if data, err := os.ReadFile(path); err != nil || string(data) != <-wrote {
		t.Errorf("%d bytes, %v", len(data), err)
	}
	if left, err := os.ReadDir(filepath.Dir(path)); err != nil || len(left) != 1 {
		t.Errorf("beside it are %v, %v", left, err)
	}
}
