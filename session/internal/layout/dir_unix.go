//go:build linux || darwin

package layout

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// noFollow makes an open refuse a link.
const noFollow = unix.O_NOFOLLOW

// StampAt returns the stamp of a file in an open directory and does not follow a link.
func StampAt(dir *os.File, name string) (Stamp, error) {
	var st unix.Stat_t
	for {
		err := unix.Fstatat(int(dir.Fd()), name, &st, unix.AT_SYMLINK_NOFOLLOW)
		if err == unix.EINTR {
			continue
		}
		if err != nil {
			return Stamp{}, fmt.Errorf("lstat %q: %w", name, err)
		}
		return stampFrom(&st), nil
	}
}

// StampOf is StampAt for a path, which may be that of a folder.
func StampOf(path string) (Stamp, error) {
	var st unix.Stat_t
	for {
		err := unix.Lstat(path, &st)
		if err == unix.EINTR {
			continue
		}
		if err != nil {
			return Stamp{}, fmt.Errorf("lstat %q: %w", path, err)
		}
		return stampFrom(&st), nil
	}
}

func stampFrom(st *unix.Stat_t) Stamp {
	return Stamp{
		Size:    st.Size,
		Mtime:   st.Mtim.Nano(),
		Ctime:   st.Ctim.Nano(),
		Inode:   st.Ino,
		Regular: st.Mode&unix.S_IFMT == unix.S_IFREG,
	}
}

// ReadAt returns the content of a file in an open directory; StampAt has reported it as regular
// and of that size. It returns ErrNotFound if the file is gone. ReadAt makes half the system
// calls of os.ReadFile, which matters for hundreds of files.
func ReadAt(dir *os.File, name string, size int64) ([]byte, error) {
	if size > maxStateSz {
		return nil, fmt.Errorf("%q has %d bytes, at most %d are read", name, size, maxStateSz)
	}
	// O_NONBLOCK: if a pipe has replaced the file, the open must not wait.
	fd, err := unix.Openat(int(dir.Fd()), name, unix.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err == unix.ENOENT {
		return nil, ErrNotFound
	}
	if err != nil {
		return nil, fmt.Errorf("open %q: %w", name, err)
	}
	defer unix.Close(fd)
	data := make([]byte, size+1)
	for n := 0; ; {
		m, err := unix.Read(fd, data[n:])
		switch {
		case err == unix.EINTR:
		case err != nil:
			return nil, fmt.Errorf("read %q: %w", name, err)
		case m == 0:
			return data[:n], nil
		case n+m > maxStateSz:
			return nil, fmt.Errorf("%q has more than %d bytes", name, maxStateSz)
		default:
			n += m
			if n == len(data) { // a larger file has replaced it
				data = append(data, make([]byte, n)...)
			}
		}
	}
}
