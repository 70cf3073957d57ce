// Package rescuelib looks over the conversations that agents keep on this machine, says to which project each
// belongs and whether a store has it, and imports the chosen ones.
//
// It joins internal/rescue (what is there), internal/rescue/origin (whose it is) and internal/rescue/intake (into the
// store) for the commands: `entire rescue`, the offer of `entire enable`, and the daily import that a hook starts.
// [Look] makes a [Survey], which must be closed; it changes nothing but the memory of what was looked at.
package rescuelib
