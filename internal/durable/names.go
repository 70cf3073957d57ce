package durable

import (
	"errors"
	"path/filepath"
	"runtime"
	"strings"
)

// errImpossible is why a valid path is not written on this system.
var errImpossible = errors.New("is not possible on this system")

// PossiblePath returns why no file can have the path on this system; nil if a file can. The path is valid for
// [CheckPath].
func PossiblePath(path string) error { return possible(runtime.GOOS, path) }

// possible is PossiblePath on the system goos, a value of runtime.GOOS. On Windows it refuses what git refuses there:
// a name that another file, a device, or a second stream of a file would be opened for.
func possible(goos, path string) error {
	if goos != "windows" {
		return nil
	}
	for name := range strings.SplitSeq(path, "/") {
		if strings.ContainsFunc(name, notOnWindows) || strings.HasSuffix(name, ".") || strings.HasSuffix(name, " ") || IsDevice(name) {
			return errImpossible
		}
	}
	return nil
}

func notOnWindows(r rune) bool { return r < ' ' || strings.ContainsRune(`\:*?"<>|`, r) }

// IsDevice reports whether Windows opens a device for a name, whatever follows a dot or spaces in it.
func IsDevice(name string) bool {
	base, _, _ := strings.Cut(name, ".")
	base = strings.ToUpper(strings.TrimRight(base, " "))
	switch base {
	case "CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$":
		return true
	}
	for _, port := range []string{"COM", "LPT"} {
		number, ok := strings.CutPrefix(base, port)
		if ok && number != "" && strings.Contains("0123456789¹²³", number) && len([]rune(number)) == 1 {
			return true
		}
	}
	return false
}

// Resolve returns a path without symbolic links in the part of it that exists; the rest may name deleted files.
func Resolve(path string) string {
	real, err := filepath.EvalSymlinks(path)
	if err == nil {
		return real
	}
	parent := filepath.Dir(path)
	if parent == path {
		return path
	}
	return filepath.Join(Resolve(parent), filepath.Base(path))
}
