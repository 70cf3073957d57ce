package git

import "bytes"

// ScanFields is a split function of a [bufio.Scanner] for the output of git commands with -z: it returns what is
// before each NUL byte.
func ScanFields(data []byte, end bool) (advance int, field []byte, err error) {
	if i := bytes.IndexByte(data, 0); i >= 0 {
		return i + 1, data[:i], nil
	}
	if end && len(data) > 0 {
		return len(data), data, nil
	}
	return 0, nil, nil
}
