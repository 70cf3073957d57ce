package jsontext

import (
	"net/url"
	"runtime"
	"strings"
)

// LocalPath returns a path of an editor's payload as this system writes it: file:///c%3A/x, /c:/x, c:/x and
// c:\x are one file, C:\x on Windows and /mnt/c/x elsewhere, where Linux on Windows has it. It returns any
// other path as it is, without file:// and its escapes.
func LocalPath(path string) string { return localPath(runtime.GOOS == "windows", path) }

func localPath(windows bool, path string) string {
	if rest, is := strings.CutPrefix(path, "file://"); is {
		plain, err := url.PathUnescape(rest)
		if err != nil {
			return path
		}
		if path = plain; path != "" && path[0] != '/' { // another machine's
			path = "//" + path
		}
	}
	drive, rest, is := cutDrive(path)
	switch {
	case !is:
		return path
	case windows:
		return strings.ToUpper(drive) + ":" + strings.ReplaceAll(rest, "/", `\`)
	}
	return "/mnt/" + strings.ToLower(drive) + strings.ReplaceAll(rest, `\`, "/")
}

// cutDrive divides an absolute path of Windows into the letter of its drive and the rest.
func cutDrive(path string) (drive, rest string, is bool) {
	path = strings.TrimPrefix(path, "/")
	if len(path) < 3 || path[1] != ':' || path[2] != '/' && path[2] != '\\' {
		return "", "", false
	}
	letter := path[0] | 0x20
	return path[:1], path[2:], 'a' <= letter && letter <= 'z'
}
