// Package retention decides which conversations a clean-up moves to the trash and which items of the
// trash it deletes. It is pure: the time, the policy and the conversations are passed in, and it
// returns a plan. It moves and deletes nothing.
//
// It guarantees that nothing is removed unless the policy says so, even if the clock is wrong: a time
// in the future counts as now, and a single wrong reading of the clock deletes nothing.
package retention
