// Package trash moves sessions to the trash, lists and restores them, and removes them for good.
//
// A session in the trash is its folder, moved to the trash of the store's base and named by its ID and
// the time. [Delete] and [DeleteIf] put it there under the session's locks, [Undelete] brings the
// last one of an ID back. [Expire] removes what was in the trash for longer than a grace period,
// never when it first finds it expired; [Empty] removes what its caller chooses.
//
// A removal that was killed is finished by the next; a session is in its place or in the trash,
// never in both or neither.
package trash
