package durable

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// Exchange swaps the absolute path from and base of the open folder dir in one step; both
// must exist. See [NoExchange].
func Exchange(from string, dir *os.Root, base string) error {
	return inFolder(dir, func(fd int) error { return unix.Renameat2(unix.AT_FDCWD, from, fd, base, unix.RENAME_EXCHANGE) })
}

// renameNew renames without replacing anything; unsupported says that the system has no
// such call.
func renameNew(from string, dir *os.Root, base string) (unsupported bool, err error) {
	err = inFolder(dir, func(fd int) error { return unix.Renameat2(unix.AT_FDCWD, from, fd, base, unix.RENAME_NOREPLACE) })
	return lacking(err), err
}

func lacking(err error) bool {
	return errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ENOSYS) || errors.Is(err, unix.EOPNOTSUPP)
}

// NoExchange reports whether err means that [Exchange] is not available.
func NoExchange(err error) bool { return lacking(err) || CrossDevice(err) }
