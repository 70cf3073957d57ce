package project

import (
	"path/filepath"
	"strings"
)

// DataDir is where what is kept for the user lies, whatever the project:
// $XDG_DATA_HOME/entire where that is set to an absolute path; else
// ~/.local/share/entire, on macOS ~/Library/Application Support/entire, on
// Windows %LocalAppData%\entire. goos is a value of runtime.GOOS. "" if nobody
// says where the user's files are.
func DataDir(environ []string, home, goos string) string {
	if dir := lookupEnv(environ, "XDG_DATA_HOME", goos); filepath.IsAbs(dir) {
		return filepath.Join(dir, "entire")
	}
	if goos == "windows" {
		if dir := lookupEnv(environ, "LocalAppData", goos); filepath.IsAbs(dir) {
			return filepath.Join(dir, "entire")
		}
	}
	if !filepath.IsAbs(home) {
		return ""
	}
	switch goos {
	case "windows":
		return filepath.Join(home, "AppData", "Local", "entire")
	case "darwin":
		return filepath.Join(home, "Library", "Application Support", "entire")
	}
	return filepath.Join(home, ".local", "share", "entire")
}

// lookupEnv is the last value of a variable, whose case does not matter on
// Windows.
func lookupEnv(environ []string, name, goos string) string {
	for i := len(environ) - 1; i >= 0; i-- {
		key, value, _ := strings.Cut(environ[i], "=")
		if key == name || goos == "windows" && strings.EqualFold(key, name) {
			return value
		}
	}
	return ""
}
