//go:build !linux

package layout

import "os"

// EachName calls fn with the name of each entry of an open directory, in the directory's order, until fn returns an
// error. The name is valid during the call only.
func EachName(dir *os.File, fn func(name []byte) error) error {
	names, err := dir.Readdirnames(-1)
	if err != nil {
		return err
	}
	for _, name := range names {
		if err := fn([]byte(name)); err != nil {
			return err
		}
	}
	return nil
}
