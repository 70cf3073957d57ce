package shadow

import (
	"strings"

	"entire/checkpoint/trailer"
	"entire/id"
	"entire/internal/git"
)

// KeptTurns is the content of a commit that keeps the steps which a user's commit has taken,
// after their shadow branch is gone. The first parent of that commit is the previous entry, if
// there is one; its last parent is the newest of the steps.
type KeptTurns struct {
	Tip        git.OID         // the newest of the steps
	Commit     git.OID         // the user's commit
	Checkpoint id.CheckpointID // zero for an unlinked commit
	Sessions   []id.SessionID  // the sessions whose steps it took; none means all
}

const keptSubject = "turns that a commit has taken"

// Message returns the message of the commit.
func (k KeptTurns) Message() string {
	var b strings.Builder
	b.WriteString(keptSubject + "\n\n" + trailer.TurnsTip + ": " + k.Tip.String() + "\n" + trailer.TurnsCommit + ": " + k.Commit.String() + "\n")
	if !k.Checkpoint.IsZero() {
		b.WriteString(trailer.TurnsCheckpoint + ": " + k.Checkpoint.String() + "\n")
	}
	for _, sid := range k.Sessions {
		b.WriteString(trailer.TurnsSession + ": " + sid.String() + "\n")
	}
	return b.String()
}

// ParseKeptTurns parses such a message. ok is false for any other.
func ParseKeptTurns(message string) (k KeptTurns, ok bool) {
	if !strings.HasPrefix(message, keptSubject+"\n") {
		return k, false
	}
	k.Tip, k.Commit = oidValue(message, trailer.TurnsTip), oidValue(message, trailer.TurnsCommit)
	k.Checkpoint, _ = id.NewCheckpointID(trailer.Value(message, trailer.TurnsCheckpoint))
	k.Sessions = sessionValues(message, trailer.TurnsSession)
	return k, !k.Tip.IsZero()
}
