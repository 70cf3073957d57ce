package object

import (
	"os"
	"strconv"
)

// SharedBits returns the bits that core.sharedRepository adds to the mode of new files.
func SharedBits(value string) os.FileMode {
	switch value {
	case "group", "true", "1", "yes", "on":
		return 0o660
	case "all", "world", "everybody", "2":
		return 0o664
	}
	if bits, err := strconv.ParseUint(value, 8, 32); err == nil && bits > 2 {
		return os.FileMode(bits) & 0o666
	}
	return 0
}

// ShareFile adds the bits to an object file, ShareDir to a folder: with search permission
// for every read permission, and with an inherited group.
func ShareFile(path string, bits os.FileMode) error {
	if bits == 0 {
		return nil
	}
	fi, err := os.Lstat(path)
	if err != nil {
		return err
	}
	return os.Chmod(path, fi.Mode().Perm()|bits&0o444)
}

func ShareDir(path string, bits os.FileMode) error {
	if bits == 0 {
		return nil
	}
	fi, err := os.Lstat(path)
	if err != nil {
		return err
	}
	return os.Chmod(path, fi.Mode().Perm()|bits|(bits&0o444)>>2|os.ModeSetgid)
}
