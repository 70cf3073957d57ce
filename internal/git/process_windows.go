package git

import "os"

// ownedByUs says no: on Windows git is asked, which knows about owners.
func ownedByUs(os.FileInfo) bool { return false }

// terminate ends a process; Windows has nothing softer.
func terminate(p *os.Process) error { return p.Kill() }
