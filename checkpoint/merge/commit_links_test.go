package merge

import (
	"testing"

	"entire/checkpoint/internal/checkpointtest"
	"entire/checkpoint/metadata"
	"entire/checkpoint/records"
	"entire/checkpoint/shadow"
	"entire/id"
	"entire/internal/git"
)

// A commit that does not name its checkpoint is found by its ID, here and after a merge
// with another clone, and the checkpoint by the commit; what a checkpoint that is
// forgotten was linked to is not found any more as stored.
func TestLinksOfCommits(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	one, two := id.MustCheckpointID("a3b2c4d5e6f7"), id.MustCheckpointID("a3b2c4d5e6f8")
	head := parseOID(t, l.r.Head())
	other := parseOID(t, "1234567890123456789012345678901234567890")
	base := l.session(git.OID{}, one, "s1", 1, 1)
	author := git.Signature{Name: "A", Email: "a@b", When: checkpointtest.Noon}
	ours := l.must(metadata.BuildLink(t.Context(), l.repo, base, head, one, author))
	if again := l.must(metadata.BuildLink(t.Context(), l.repo, ours, head, one, author)); again != ours {
		t.Error("a link that was there was written again")
	}
	theirs := l.must(metadata.BuildRecord(t.Context(), l.repo, base, metadata.Record{ID: two, Strategy: "manual-commit", UnnamedCommit: other, Author: author,
		Sessions: []metadata.SessionRecord{{Metadata: metadata.CommittedMetadata{SessionID: "s2"}}}}))
	merged := l.merge(ours, theirs)
	l.r.Git("update-ref", shadow.MetadataRef, merged.String())
	links, err := records.NewReader(l.repo).Links(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if got := links.Of(head, "subject\n"); len(got) != 1 || got[0] != one {
		t.Errorf("checkpoints of a linked commit: %v", got)
	}
	if got := links.Of(other, "subject\n\nEntire-Checkpoint: "+one.String()+"\n"); len(got) != 2 || got[0] != one || got[1] != two {
		t.Errorf("checkpoints of a commit that names another one, too: %v", got)
	}
	if got := links.To(two); len(got) != 1 || got[0] != other {
		t.Errorf("commits of a checkpoint: %v", got)
	}
	if ids, err := records.NewReader(l.repo).ListIDs(t.Context()); err != nil || len(ids) != 2 {
		t.Errorf("checkpoints: %v (%v)", ids, err)
	}
}

func parseOID(t *testing.T, hex string) git.OID {
	t.Helper()
	oid, err := git.ParseOID(hex)
	if err != nil {
		t.Fatal(err)
	}
	return oid
}
