// Package share exchanges checkpoints and sessions with remotes that the user has agreed to.
//
// [Agree] and [Revoke] note a destination in this clone's git directory; no setting of a project can do so. [Push] and the hook [PrePush]
// merge what destinations have into the local metadata branch and send the result, with the checkpoints in refs of their
// own, the epochs and the parts for the bucket. [Fetch] and [FetchMissing] get what is not here.
//
// A push merges with what the remote has. It replaces the remote's branch only where that still has what was
// forgotten, redacted or sealed, and only if the branch is the one that was just merged. The hook asks nobody, takes at
// most [PushLimit], and does not fail the user's push. No session lock is held across the network.
package share
