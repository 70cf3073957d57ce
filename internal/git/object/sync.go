package object

import (
	"errors"
	"io/fs"
	"os"
	"runtime"
)

// A flusher is what differs between systems when a file is made durable that somebody else wrote.
type flusher struct {
	writes bool // a file is flushed only through a handle that may write, as on Windows
	flush  func(*os.File) error
}

// Writeback is StartWriteback for the file at a path.
func Writeback(path string) error {
	return flusher{writes: runtime.GOOS == "windows", flush: StartWriteback}.writeback(path)
}

func (h flusher) writeback(path string) error {
	f, restore, err := h.open(path)
	if err != nil {
		return err
	}
	defer restore()
	defer f.Close()
	return h.flush(f)
}

// open opens a file so that it can be flushed. restore makes a file read-only again that was, such as an object of git.
func (h flusher) open(path string) (f *os.File, restore func(), err error) {
	restore = func() {}
	if !h.writes {
		f, err = os.Open(path)
		return f, restore, err
	}
	fi, err := os.Stat(path)
	if err != nil {
		return nil, restore, err
	}
	f, err = os.OpenFile(path, os.O_RDWR, 0)
	if errors.Is(err, fs.ErrPermission) && fi.Mode()&0o200 == 0 {
		if err = os.Chmod(path, fi.Mode()|0o200); err == nil {
			restore = func() { _ = os.Chmod(path, fi.Mode()) }
			f, err = os.OpenFile(path, os.O_RDWR, 0)
		}
	}
	if err != nil {
		restore()
		return nil, func() {}, err
	}
	return f, restore, nil
}
