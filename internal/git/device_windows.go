package git

import "io/fs"

// SameDevice is true: a rename that cannot be made is found out by a try.
func SameDevice(fs.FileInfo, fs.FileInfo) bool { return true }
