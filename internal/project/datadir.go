package project

import (
	"path/filepath"
	"strings"
)

// DataDir returns the user's data directory for all projects: $XDG_DATA_HOME/entire if that is an
// absolute path; otherwise ~/.local/share/entire, on macOS ~/Library/Application Support/entire, on
// Windows %LocalAppData%\entire. goos is a value of runtime.GOOS. It returns "" if the user's
// directories are not known.
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

// lookupEnv returns the last value of a variable. On Windows it ignores the case of the name.
func lookupEnv(environ []string, name, goos string) string {
	for i := len(environ) - 1; i >= 0; i-- {
		key, value, _ := strings.Cut(environ[i], "=")
		if key == name || goos == "windows" && strings.EqualFold(key, name) {
			return value
		}
	}
	return ""
}
