//go:build unix

package durable

import (
	"errors"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

func TestReadersTakeRegularFilesOnly(t *testing.T) {
	t.Parallel()
	dir, err := os.MkdirTemp("/tmp", "read") // a socket's path has to be short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	at := func(name string) string { return filepath.Join(dir, name) }
	os.WriteFile(at("file"), []byte("four"), 0o600)
	os.Mkdir(at("folder"), 0o700)
	os.Symlink("file", at("link"))
	os.Symlink("self", at("self"))
	os.Symlink("/dev/zero", at("endless"))
	if err := unix.Mkfifo(at("pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	if l, err := net.Listen("unix", at("socket")); err != nil {
		t.Fatal(err)
	} else {
		defer l.Close()
	}
	for _, row := range []struct {
		name              string
		limit             int64
		read, plain, with error
	}{
		{"file", 4, nil, nil, nil},
		{"file", 3, ErrTooLong, ErrTooLong, ErrTooLong},
		{"link", 4, nil, ErrNoFile, nil},
		{"absent", 4, fs.ErrNotExist, fs.ErrNotExist, fs.ErrNotExist},
		{"self", 4, ErrNoFile, ErrNoFile, ErrThroughLink},
		{"folder", 4, ErrNoFile, ErrNoFile, ErrNoFile},
		{"pipe", 4, ErrNoFile, ErrNoFile, ErrNoFile},
		{"socket", 4, ErrNoFile, ErrNoFile, ErrNoFile},
		{"endless", 4, ErrNoFile, ErrNoFile, ErrLeadsOut},
	} {
		for how, got := range map[string]struct{ is, want error }{
			"Read":       {second(Read(at(row.name), row.limit)), row.read},
			"ReadPlain":  {second(ReadPlain(at(row.name), row.limit)), row.plain},
			"ReadWithin": {second(ReadWithin(dir, row.name, row.limit)), row.with},
		} {
			if !errors.Is(got.is, got.want) || got.want == nil && got.is != nil {
				t.Errorf("%s of %s, at most %d bytes: %v, want %v", how, row.name, row.limit, got.is, got.want)
			}
		}
	}
	if data, err := Read(at("link"), 1<<20); err != nil || string(data) != "four" {
		t.Errorf("read %q, %v", data, err)
	}
}

// A file of the kernel's is regular, has no size, and may be long.
func TestReadOfAFileWithoutSize(t *testing.T) {
	t.Parallel()
	if _, err := os.Stat("/proc/self/smaps"); err == nil {
		if _, err := ReadPlain("/proc/self/smaps", 16); !errors.Is(err, ErrTooLong) {
			t.Errorf("error %v, want %v", err, ErrTooLong)
		}
	}
	path := filepath.Join(t.TempDir(), "file")
	want := strings.Repeat("x", 3000)
	os.WriteFile(path, []byte(want), 0o600)
	if data, err := Read(path, 3000); err != nil || string(data) != want {
		t.Errorf("%d bytes, %v", len(data), err)
	}
}

func second[T any](_ T, err error) error { return err }

// Whoever opens or locks a file of this program's gets an error, and does not wait, where something else is.
func TestOwnFilesAreRegular(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	if err := errors.Join(unix.Mkfifo(at("pipe"), 0o600), os.Mkdir(at("folder"), 0o700), os.Symlink("/dev/zero", at("endless")), os.WriteFile(at("file"), []byte("four"), 0o600)); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"pipe", "folder", "endless"} {
		for how, err := range map[string]error{
			"read":   second(ReadOwn(at(name))),
			"write":  second(OpenOwn(at(name), os.O_WRONLY|os.O_CREATE)),
			"append": second(OpenOwn(at(name), os.O_RDWR|os.O_APPEND)),
			"lock":   second(AcquireWithin(at(name), 0)),
		} {
			if err == nil || name != "folder" && !errors.Is(err, ErrNoFile) {
				t.Errorf("%s %s: %v", how, name, err)
			}
		}
	}
	f, err := OpenOwn(at("file"), os.O_WRONLY|os.O_APPEND)
	if err == nil {
		_, err = f.WriteString(" more")
		err = errors.Join(err, f.Close())
	}
	if data, rerr := ReadOwn(at("file")); err != nil || rerr != nil || string(data) != "four more" {
		t.Errorf("%q, %v, %v", data, err, rerr)
	}
}
