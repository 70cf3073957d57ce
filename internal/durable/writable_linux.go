package durable

import (
	"errors"

	"golang.org/x/sys/unix"
)

// pinned returns an error for a name that cannot be replaced although its folder is
// writable: an immutable or append-only file or folder, or a mount.
func pinned(fd int, base string) error {
	const fixed = unix.STATX_ATTR_IMMUTABLE | unix.STATX_ATTR_APPEND
	var st unix.Statx_t
	flags := unix.AT_SYMLINK_NOFOLLOW | unix.AT_NO_AUTOMOUNT
	if err := unix.Statx(fd, ".", flags, 0, &st); err == nil && st.Attributes&fixed != 0 {
		return unix.EPERM
	}
	err := unix.Statx(fd, base, flags, 0, &st)
	switch {
	case errors.Is(err, unix.ENOENT), errors.Is(err, unix.ENOSYS):
		return nil
	case err != nil:
		return err
	case st.Attributes&fixed != 0:
		return unix.EPERM
	case st.Attributes&st.Attributes_mask&unix.STATX_ATTR_MOUNT_ROOT != 0:
		return unix.EBUSY
	}
	return nil
}
