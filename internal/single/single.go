// Package single starts a program on one processor, as if it had been called
// with GOMAXPROCS=1, from before nearly every other package is initialised. A
// program that ends within milliseconds gains nothing from a second one, and
// pays for it: threads that are woken, find nothing to do and go back to sleep
// were a twentieth of what a hook cost.
//
// It imports nothing but runtime, so that it is initialised among the first.
package single

import "runtime"

var _ = runtime.GOMAXPROCS(1)

// All lets the program have as many processors as it would have had.
func All() { runtime.SetDefaultGOMAXPROCS() }
