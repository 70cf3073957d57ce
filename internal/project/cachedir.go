package project

import "path/filepath"

// CacheDir is where what can be made again lies, whatever the project:
// $XDG_CACHE_HOME/entire where that is set to an absolute path; else
// ~/.cache/entire, on macOS ~/Library/Caches/entire, on Windows
// %LocalAppData%\entire\cache. goos is a value of runtime.GOOS. "" if nobody says
// where the user's files are.
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
