//go:build !linux && !darwin

package process

// commandLine shows no command lines here.
func commandLine(int) (args []string, parent int) { return nil, 0 }
