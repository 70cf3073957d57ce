// Package single starts a program on one processor, from before nearly every
// other package is initialised. A program that finds that it has nothing to do
// gains nothing from a second one, and pays for it: threads that are woken, look
// for work and go back to sleep were a twentieth of what such a hook cost.
//
// It imports nothing but runtime, so that it is initialised among the first.
package single

import "runtime"

// before is how many processors the program would have had.
var before = runtime.GOMAXPROCS(1)

// All lets the program have all its processors, once there is something to do.
func All() { runtime.GOMAXPROCS(before) }
