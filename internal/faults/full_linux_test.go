package faults

import (
	"bytes"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// TestFaultsOfAFullDisk rewinds on a small file system with ever more room left.
func TestFaultsOfAFullDisk(t *testing.T) {
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
	outside := filepath.Join(t.TempDir(), "pristine")
	l.copy(l.pristine, outside)
	l.ok(os.RemoveAll(l.pristine))
	l.pristine = outside

	pages := 5
	step := 8
	if os.Getenv("FAULTS") == "all" {
		pages, step = 150, 1
	}
	var back, done int
	for n := range pages {
		l.reset()
		l.fill(mount, int64(n*step)*4096)
		var said bytes.Buffer
		cmd := l.command(binary, rewind.args(l)[1:]...)
		cmd.Stdout, cmd.Stderr = &said, &said
		err := cmd.Run()
		l.ok(os.Remove(filepath.Join(mount, "fill")))
		e := &experiment{lab: l, from: maps.Clone(l.before), to: maps.Clone(l.after), said: said.String(), code: cmd.ProcessState.ExitCode()}
		if e.check(); len(e.wrong) > 0 {
			t.Errorf("%d pages free:\n  %s\nit said: %s\nstatus said: %s", n*step, strings.Join(e.wrong, "\n  "), e.said, e.status)
		}
		if err == nil {
			done++
		} else {
			back++
		}
	}
	t.Logf("%d sizes of free room: %d rewinds done, %d not", pages, done, back)
	if back == 0 || done == 0 {
		t.Errorf("%d rewinds done, %d not: the sizes show nothing", done, back)
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
