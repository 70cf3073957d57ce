//go:build unix

package durable

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

var systemJobs = map[string]func(args []string) error{
	"toobig":   jobTooBig,
	"readonly": jobReadOnly,
}

// jobTooBig writes more than the file size limit allows, which fails in the
// middle of the write as a full disk does.
func jobTooBig(args []string) error {
	signal.Ignore(syscall.SIGXFSZ)
	limit := syscall.Rlimit{Cur: 10_000, Max: 10_000}
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		return err
	}
	err := WriteFile(args[0], content("b", 0), 0o600)
	if !errors.Is(err, syscall.EFBIG) || !strings.Contains(err.Error(), args[0]) {
		return fmt.Errorf("got error %v", err)
	}
	return nil
}

// jobReadOnly writes into a directory it may not change. It drops root's
// power to write anywhere, and so must go there first.
func jobReadOnly(args []string) error {
	if err := os.Chdir(args[0]); err != nil {
		return err
	}
	if os.Geteuid() == 0 {
		if err := syscall.Setuid(65534); err != nil {
			return err
		}
	}
	for op, err := range map[string]error{
		"write file":   WriteFile("file", []byte("new"), 0o600),
		"write cache":  WriteCache("file", []byte("new"), 0o600),
		"remove file":  Remove("file"),
		"write sub/x":  WriteFile("sub/x", nil, 0o600),
		"write sub2/x": WriteCache("sub2/x", nil, 0o600),
	} {
		if !errors.Is(err, fs.ErrPermission) || !strings.HasPrefix(err.Error(), strings.Fields(op)[0]+" ") {
			return fmt.Errorf("%s: got error %v", op, err)
		}
	}
	return nil
}

func TestDiskFull(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "file")
	if err := WriteFile(path, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := job(t, "toobig", path).Run(); err != nil {
		t.Fatal(err)
	}
	if got := names(t, dir); len(got) != 1 || read(t, path) != "old" {
		t.Errorf("after a full disk: %q, content %q", got, read(t, path))
	}
}

func TestReadOnlyDirectory(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "file")
	if err := WriteFile(path, []byte("old"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(dir, 0o555); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.Chmod(dir, 0o755) })
	if err := job(t, "readonly", dir).Run(); err != nil {
		t.Fatal(err)
	}
	if got := names(t, dir); len(got) != 1 || read(t, path) != "old" {
		t.Errorf("after refused writes: %q, content %q", got, read(t, path))
	}
}
