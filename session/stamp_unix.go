//go:build linux || darwin

package session

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// stampAt returns the stamp of a file in an open directory, not following a
// link.
func stampAt(dir *os.File, name string) (stamp, error) {
	var st unix.Stat_t
	for {
		err := unix.Fstatat(int(dir.Fd()), name, &st, unix.AT_SYMLINK_NOFOLLOW)
		if err == unix.EINTR {
			continue
		}
		if err != nil {
			return stamp{}, fmt.Errorf("lstat %q: %w", name, err)
		}
		return stamp{
			size:    st.Size,
			mtime:   st.Mtim.Nano(),
			ctime:   st.Ctim.Nano(),
			inode:   st.Ino,
			regular: st.Mode&unix.S_IFMT == unix.S_IFREG,
		}, nil
	}
}
