package faults

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// TestFaultsOfAFullDisk rewinds, or undoes, on a small file system with ever more
// room left.
func TestFaultsOfAFullDisk(t *testing.T) {
	t.Parallel()
	for name, make := range operations() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			mount := filepath.Join(t.TempDir(), "small")
			if err := os.Mkdir(mount, 0o755); err != nil {
				t.Fatal(err)
			}
			if err := unix.Mount("tmpfs", mount, "tmpfs", 0, "size=16m"); err != nil {
				t.Logf("no file system may be mounted here: %v", err)
				return
			}
			t.Cleanup(func() { _ = unix.Unmount(mount, unix.MNT_DETACH) })
			l := newLab(t, mount)
			op := make(l)
			outside := filepath.Join(t.TempDir(), "pristine")
			l.copy(l.pristine, outside)
			l.ok(os.RemoveAll(l.pristine))
			l.pristine = outside
			l.full(op, mount)
		})
	}
}

func (l *lab) full(op operation, mount string) {
	pages, step := 5, 8
	if os.Getenv("FAULTS") == "all" {
		pages, step = 150, 1
	}
	var back, done int
	for n := range pages {
		l.reset()
		l.fill(mount, int64(n*step)*4096)
		var said bytes.Buffer
		cmd := l.command(binary, op.args...)
		cmd.Stdout, cmd.Stderr = &said, &said
		err := cmd.Run()
		l.ok(os.Remove(filepath.Join(mount, "fill")))
		e := l.experiment(op, said.String(), cmd.ProcessState.ExitCode(), false)
		if e.check(); len(e.wrong) > 0 {
			l.t.Errorf("%s, %d pages free:\n  %s\nit said: %s\nstatus said: %s", op.name, n*step, strings.Join(e.wrong, "\n  "), e.said, e.status)
		}
		if err == nil {
			done++
		} else {
			back++
		}
	}
	l.t.Logf("%d sizes of free room: %d times %s was done, %d times not", pages, done, op.name, back)
	if back == 0 || done == 0 {
		l.t.Errorf("%s: %d done, %d not: the sizes show nothing", op.name, done, back)
	}
}

// fill leaves about room bytes on the file system.
func (l *lab) fill(mount string, room int64) {
	l.t.Helper()
	var st unix.Statfs_t
	l.ok(unix.Statfs(mount, &st))
	f, err := os.Create(filepath.Join(mount, "fill"))
	l.ok(err)
	defer f.Close()
	size := max(0, int64(st.Bavail)*st.Bsize-room)
	_, err = f.Write(make([]byte, size))
	l.ok(err)
}
