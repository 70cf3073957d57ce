package records_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"entire/checkpoint/internal/checkpointtest"
	"entire/checkpoint/metadata"
	"entire/checkpoint/records"
	"entire/checkpoint/shadow"
	"entire/id"
	"entire/internal/git"
	"entire/internal/testrepo"
)

var ulid = id.MustCheckpointID("01JD6Q8ZV3K5N7P9R2T4W6Y8A0")

// TestRecordsInRefs: a new ULID gets a ref of its own; each change is a commit on top, and the
// branch is not touched.
func TestRecordsInRefs(t *testing.T) {
	t.Parallel()
	r := testrepo.New(t)
	repo := checkpointtest.Open(t, r)
	checkpointtest.Write(t, repo, checkpointtest.Record(checkpointtest.CpA, checkpointtest.SessionRecord(t, repo, "s1", "one\n")))
	branch := r.Git("rev-parse", shadow.MetadataBranch)
	ref := metadata.CheckpointRef(ulid)
	if ref != "refs/entire/checkpoints/A0/"+ulid.String() {
		t.Fatalf("ref %s", ref)
	}

	checkpointtest.Write(t, repo, checkpointtest.Record(ulid, checkpointtest.SessionRecord(t, repo, "s1", "first\n")))
	first := r.Git("rev-parse", ref)
	checkpointtest.Write(t, repo, checkpointtest.Record(ulid, checkpointtest.SessionRecord(t, repo, "s2", "second\n")))
	if got := r.Git("rev-parse", ref+"~1"); got != first || r.Git("rev-list", "--count", ref) != "2" {
		t.Errorf("%s is not on top of %s", ref, first)
	}
	if files := strings.Fields(r.Git("ls-tree", "-r", "--name-only", ref)); !slices.Contains(files, "metadata.json") || !slices.Contains(files, "1/full.jsonl") {
		t.Errorf("files: %v", files)
	}
	if doc := r.Git("show", ref+":metadata.json"); !strings.Contains(doc, `"/1/full.jsonl"`) || !strings.Contains(doc, ulid.String()) {
		t.Errorf("summary: %s", doc)
	}

	fin := metadata.Finalization{ID: ulid, Session: "s2", Prompts: "late", Author: checkpointtest.Maker}
	if err := metadata.FinalizeTranscript(t.Context(), repo, fin); err != nil {
		t.Fatal(err)
	}
	up := metadata.SummaryUpdate{ID: ulid, Summary: &metadata.Summary{Intent: "sum"}, Author: checkpointtest.Maker}
	if err := metadata.WriteSummary(t.Context(), repo, up); err != nil {
		t.Fatal(err)
	}
	if r.Git("rev-list", "--count", ref) != "4" || r.Git("rev-parse", shadow.MetadataBranch) != branch {
		t.Errorf("%s commits on %s; the branch moved: %v", r.Git("rev-list", "--count", ref), ref, r.Git("rev-parse", shadow.MetadataBranch) != branch)
	}

	reader := records.NewReader(repo)
	stored, err := reader.ReadMany(t.Context(), []id.CheckpointID{checkpointtest.CpA, ulid})
	if err != nil || len(stored) != 2 || len(stored[1].Sessions) != 2 || stored[1].Err != nil {
		t.Fatalf("%+v, %v", stored, err)
	}
	content, err := reader.Session(t.Context(), ulid, 1)
	if err != nil || content.Prompts != "late" || content.Metadata.Summary == nil || string(content.Transcript) != "second\n" {
		t.Errorf("%+v, %v", content, err)
	}
	for _, prefix := range []string{"", "01jd6", "01JD6Q8ZV3K5N7P9R2T4W6Y8A0"} {
		if ids, err := reader.FindByPrefix(t.Context(), prefix); err != nil || !slices.Contains(ids, ulid) {
			t.Errorf("prefix %q: %v, %v", prefix, ids, err)
		}
	}
	reader.Verify(t.Context(), []id.CheckpointID{ulid}, func(int) {}, func(_ id.CheckpointID, err error) { t.Error(err) })
}

// TestRecordsStayWhereTheyAre: a change goes to where the checkpoint is, whatever its ID looks like.
func TestRecordsStayWhereTheyAre(t *testing.T) {
	t.Parallel()
	r := testrepo.New(t)
	repo := checkpointtest.Open(t, r)
	for _, cp := range []id.CheckpointID{checkpointtest.CpA, ulid} {
		checkpointtest.Write(t, repo, checkpointtest.Record(cp, checkpointtest.SessionRecord(t, repo, "s1", "one\n")))
	}
	// The hex ID moves into a ref, and the ULID to the branch.
	tree := r.Git("rev-parse", shadow.MetadataBranch+":"+checkpointtest.CpA.Path())
	r.Git("update-ref", metadata.CheckpointRef(checkpointtest.CpA), r.Git("commit-tree", "-m", "moved", tree))
	other := r.Git("rev-parse", metadata.CheckpointRef(ulid)+"^{tree}")
	r.Git("read-tree", "--empty")
	r.Git("read-tree", "--prefix="+ulid.Path()+"/", other)
	r.Git("update-ref", shadow.MetadataRef, r.Git("commit-tree", "-m", "moved", r.Git("write-tree")))
	r.Git("update-ref", "-d", metadata.CheckpointRef(ulid))
	r.Git("read-tree", "HEAD")

	for _, cp := range []id.CheckpointID{checkpointtest.CpA, ulid} {
		checkpointtest.Write(t, repo, checkpointtest.Record(cp, checkpointtest.SessionRecord(t, repo, "s2", "two\n")))
		stored, err := records.NewReader(repo).Read(t.Context(), cp)
		if err != nil || len(stored.Sessions) != 2 {
			t.Errorf("%s: %+v, %v", cp, stored, err)
		}
	}
	if got := r.Git("for-each-ref", "--format=%(refname)", metadata.CheckpointRefs); got != metadata.CheckpointRef(checkpointtest.CpA) {
		t.Errorf("refs: %s", got)
	}
	if got := r.Git("ls-tree", "-d", "--name-only", shadow.MetadataBranch); got != "01" {
		t.Errorf("on the branch: %s", got)
	}
}

// TestManyWriteOneRef: writers of one checkpoint lose nothing.
func TestManyWriteOneRef(t *testing.T) {
	t.Parallel()
	r := testrepo.New(t)
	repo := checkpointtest.Open(t, r)
	const writers = 8
	var all sync.WaitGroup
	for n := range writers {
		other, err := git.Discover(t.Context(), r.Dir, r.Env)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { other.Close() })
		rec := checkpointtest.Record(ulid, checkpointtest.SessionRecord(t, other, fmt.Sprintf("s%d", n), "x\n"))
		all.Go(func() {
			if err := metadata.WriteRecord(t.Context(), other, rec); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	stored, err := records.NewReader(repo).Read(t.Context(), ulid)
	if err != nil || len(stored.Sessions) != writers {
		t.Errorf("%d sessions of %d, %v", len(stored.Sessions), writers, err)
	}
}

// TestUnnamedCommitOfARef: the link of a commit that does not name its checkpoint is on the branch.
func TestUnnamedCommitOfARef(t *testing.T) {
	t.Parallel()
	r := testrepo.New(t)
	repo := checkpointtest.Open(t, r)
	head, err := git.ParseOID(r.Head())
	if err != nil {
		t.Fatal(err)
	}
	rec := checkpointtest.Record(ulid, checkpointtest.SessionRecord(t, repo, "s1", "one\n"))
	rec.UnnamedCommit = head
	checkpointtest.Write(t, repo, rec)
	links, err := records.NewReader(repo).Links(t.Context())
	if err != nil || !slices.Equal(links[head], []id.CheckpointID{ulid}) {
		t.Errorf("links %v, %v", links, err)
	}
	if _, err := records.NewReader(repo).Read(t.Context(), ulid); err != nil {
		t.Error(err)
	}
}

// TestDamagedRef: a ref that cannot be read is reported, and hides no other checkpoint.
func TestDamagedRef(t *testing.T) {
	t.Parallel()
	r := testrepo.New(t)
	repo := checkpointtest.Open(t, r)
	checkpointtest.Write(t, repo, checkpointtest.Record(ulid, checkpointtest.SessionRecord(t, repo, "s1", "one\n")))
	blob := r.GitInput("no commit", "hash-object", "-w", "--stdin")
	bad := id.MustCheckpointID("01JD6Q8ZV3K5N7P9R2T4W6Y8A1")
	r.Git("update-ref", metadata.CheckpointRef(bad), blob)
	r.Git("update-ref", metadata.CheckpointRefs+"zz/not-an-id", r.Head())
	reader := records.NewReader(repo)
	ids, err := reader.ListIDs(t.Context())
	if err != nil || !slices.Equal(ids, []id.CheckpointID{ulid, bad}) {
		t.Fatalf("%v, %v", ids, err)
	}
	var said []string
	err = reader.Verify(t.Context(), ids, func(int) {}, func(cp id.CheckpointID, err error) { said = append(said, cp.String()+": "+err.Error()) })
	if err != nil || len(said) != 1 || !strings.Contains(said[0], bad.String()) {
		t.Errorf("%q, %v", said, err)
	}
	if _, err := reader.Read(t.Context(), id.MustCheckpointID("01JD6Q8ZV3K5N7P9R2T4W6Y8A2")); !errors.Is(err, metadata.ErrCheckpointNotFound) {
		t.Error(err)
	}
}
