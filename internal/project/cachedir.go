package project

import "path/filepath"

// CacheDir returns the user's cache directory for all projects: $XDG_CACHE_HOME/entire if that is an
// absolute path; otherwise ~/.cache/entire, on macOS ~/Library/Caches/entire, on Windows
// %LocalAppData%\entire\cache. goos is a value of runtime.GOOS. It returns "" if the user's
// directories are not known.
func CacheDir(environ []string, home, goos string) string {
	if dir := lookupEnv(environ, "XDG_CACHE_HOME", goos); filepath.IsAbs(dir) {
		return filepath.Join(dir, "entire")
	}
	if goos == "windows" {
		if dir := lookupEnv(environ, "LocalAppData", goos); filepath.IsAbs(dir) {
			return filepath.Join(dir, "entire", "cache")
		}
	}
	if !filepath.IsAbs(home) {
		return ""
	}
	switch goos {
	case "windows":
		return filepath.Join(home, "AppData", "Local", "entire", "cache")
	case "darwin":
		return filepath.Join(home, "Library", "Caches", "entire")
	}
	return filepath.Join(home, ".cache", "entire")
}
