package process

import "os"

// OwnedByUs returns false: on Windows git is asked, which knows about owners.
func OwnedByUs(os.FileInfo) bool { return false }
