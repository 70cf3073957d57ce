// Package handoff sends a session with its uncommitted files to another machine.
//
// A [Bundle] is what travels: checkpoints, steps with the commits that they were made on, and the files that differ from
// HEAD; [PlanBundle] plans it, [WritePack] writes its objects, [StoreBundle] keeps it sealed under a ref of its own, and
// [SendBundle] sends that. A [Receive] is a bundle on its way in. Its objects wait in a quarantine until every path and
// object is checked; [Receive.Apply] places the files with the journal of package restore, so that a rewind undoes it.
//
// The key is in the code that the user carries to the other machine; the remote sees a length and an expiry. Whoever
// calls it says what is sent (internal/cli/teleportcmd asks); bundles that expired are removed here and at the remote.
package handoff
