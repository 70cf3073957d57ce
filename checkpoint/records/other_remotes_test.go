package records

import (
	"testing"

	"entire/checkpoint/internal/checkpointtest"
	"entire/checkpoint/metadata"
	"entire/checkpoint/shadow"
	"entire/id"
	"entire/internal/testrepo"
)

// TestOtherRemotes reads what was fetched from a fork, which replaces and forgets nothing.
func TestOtherRemotes(t *testing.T) {
	t.Parallel()
	r := testrepo.New(t)
	repo := checkpointtest.Open(t, r)
	write := func(cp id.CheckpointID, session, text string) {
		checkpointtest.Write(t, repo, checkpointtest.Record(cp, checkpointtest.SessionRecord(t, repo, session, text)))
	}
	write(checkpointtest.CpA, "one", "theirs\n")
	write(checkpointtest.CpB, "two", "theirs\n")
	checkpointtest.Put(t, repo, metadata.TombstonePath(checkpointtest.CpA), "{}")
	r.Git("update-ref", "refs/remotes/fork/"+shadow.MetadataBranch, shadow.MetadataRef)
	r.Git("update-ref", "-d", shadow.MetadataRef)
	write(checkpointtest.CpA, "one", "ours\n")

	reader := NewReader(repo)
	for i, want := range []string{"ours\n", "theirs\n"} {
		cp, session := []id.CheckpointID{checkpointtest.CpA, checkpointtest.CpB}[i], []string{"one", "two"}[i]
		if c, err := reader.SessionByID(t.Context(), cp, session); err != nil || string(c.Transcript) != want {
			t.Errorf("%s: %+v, %v, not %q", cp, c, err, want)
		}
	}
	r.Git("update-ref", "-d", "refs/remotes/fork/"+shadow.MetadataBranch)
	if _, err := reader.SessionByID(t.Context(), checkpointtest.CpB, "two"); err == nil {
		t.Error("found without the fork")
	}
}
