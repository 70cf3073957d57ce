//go:build !linux && !darwin

package process

// look shows no processes here.
func look(int) running { return running{} }
