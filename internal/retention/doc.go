// Package retention decides which conversations a clean-up takes, and what of its
// trash goes for good. It is pure: the clock's reading, the policy and what there is
// come in, a plan comes out. It moves and deletes nothing.
//
// It promises that nothing is taken that the policy does not reach, whatever the clock
// says: a time that lies in the future counts as now, and one reading of a clock that
// is wrong removes nothing for good.
package retention
