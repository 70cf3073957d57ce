// Package facts reads what the terminal program shows, and carries out what a person does there.
//
// A Source belongs to one worktree. Its timeline is read through one workplace for as long as the
// program runs; each action, plan and blame opens a workplace of its own, so none of them sees half of
// what another one does. Its methods are called outside of the goroutine that draws, one after another.
// Nothing that the packages below print reaches the screen.
package facts
