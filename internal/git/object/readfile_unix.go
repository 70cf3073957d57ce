//go:build unix

package object

import (
	"io"
	"io/fs"
	"syscall"
)

// readBounded reads a file of at most limit bytes. It avoids what package os does to wait
// for a pipe, which is half of the cost of reading a small object.
func readBounded(path string, limit int64) (data []byte, err error) {
	var fd int
	if err := untilDone(func() (err error) {
		fd, err = syscall.Open(path, syscall.O_RDONLY|syscall.O_CLOEXEC, 0)
		return err
	}); err != nil {
		return nil, &fs.PathError{Op: "open", Path: path, Err: err}
	}
	defer syscall.Close(fd)
	var st syscall.Stat_t
	if err := untilDone(func() error { return syscall.Fstat(fd, &st) }); err != nil {
		return nil, &fs.PathError{Op: "stat", Path: path, Err: err}
	}
	if st.Mode&syscall.S_IFMT != syscall.S_IFREG || st.Size > limit {
		return nil, errNotNative
	}
	data = make([]byte, st.Size)
	for at := 0; at < len(data); {
		var n int
		if err := untilDone(func() (err error) {
			n, err = syscall.Read(fd, data[at:])
			return err
		}); err != nil {
			return nil, &fs.PathError{Op: "read", Path: path, Err: err}
		}
		if n <= 0 {
			return nil, io.ErrUnexpectedEOF
		}
		at += n
	}
	return data, nil
}

// untilDone repeats a call that a signal has interrupted.
func untilDone(call func() error) error {
	for {
		if err := call(); err != syscall.EINTR {
			return err
		}
	}
}
