package layout

import (
	"bytes"
	"encoding/binary"
	"os"

	"golang.org/x/sys/unix"
)

// The parts of a directory entry as the system returns it: the length of the entry, and the name, which a NUL ends.
const (
	entryLength = 16
	entryName   = 19
)

// EachName calls fn with the name of each entry of an open directory, in the directory's order, until fn returns an
// error. The name is valid during the call only. It makes no string of a name, which matters for thousands.
func EachName(dir *os.File, fn func(name []byte) error) error {
	buf := make([]byte, 32<<10)
	for {
		n, err := unix.Getdents(int(dir.Fd()), buf)
		if err == unix.EINTR {
			continue
		}
		if err != nil {
			return &os.PathError{Op: "readdir", Path: dir.Name(), Err: err}
		}
		if n <= 0 {
			return nil
		}
		for rest := buf[:n]; len(rest) > entryName; {
			size := min(int(binary.NativeEndian.Uint16(rest[entryLength:])), len(rest))
			if size <= entryName {
				return &os.PathError{Op: "readdir", Path: dir.Name(), Err: unix.EIO}
			}
			name, _, _ := bytes.Cut(rest[entryName:size], []byte{0})
			rest = rest[size:]
			if string(name) == "." || string(name) == ".." {
				continue
			}
			if err := fn(name); err != nil {
				return err
			}
		}
	}
}
