package durable

import (
	"errors"

	"golang.org/x/sys/unix"
)

// Exchange swaps two files in one step; both must exist. Where it is [lacking], the caller renames instead.
func Exchange(a, b Place) error { return flagged(a, b, unix.RENAME_SWAP) }

// renameNew renames without replacing anything; unsupported says that the system has no
// such call.
func renameNew(from, to Place) (unsupported bool, err error) {
	err = flagged(from, to, unix.RENAME_EXCL)
	return lacking(err), err
}

func flagged(a, b Place, flag uint32) error {
	return between(a, b, func(aDir int, a string, bDir int, b string) error { return unix.RenameatxNp(aDir, a, bDir, b, flag) })
}

// lacking reports whether err means that the system or the file system has no such call.
func lacking(err error) bool {
	return errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ENOSYS) || errors.Is(err, unix.ENOTSUP)
}
