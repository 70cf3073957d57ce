// Package ownership decides who wrote each line of a commit: an agent's session, a person, or nobody
// that can be told (unknown).
//
// It follows each file through the steps between the parent and the commit and gives every new line
// the author of the step in which the line appeared; where several could have written it, edit calls
// and commands decide. A line that was brought from another place or time collects claims (claims.go): it
// belongs to whoever surely wrote its text first. The result is stored in the checkpoint's record and, for uncommitted files, in
// a cache that may be deleted.
package ownership
