package records_test

import (
	"encoding/json"
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"

	"entire/checkpoint/chunk"
	"entire/checkpoint/internal/checkpointtest"
	"entire/checkpoint/metadata"
	"entire/checkpoint/records"
	"entire/checkpoint/shadow"
	"entire/internal/git"
	"entire/internal/testrepo"
)

func TestWriteRecordOnDisk(t *testing.T) {
	t.Parallel()
	for _, opts := range map[string][]testrepo.Option{"sha1": nil, "sha256": {testrepo.SHA256()}, "unborn": {testrepo.Unborn()}} {
		r := testrepo.New(t, opts...)
		repo := checkpointtest.Open(t, r)
		checkpointtest.Write(t, repo, checkpointtest.Record(checkpointtest.CpA, checkpointtest.SessionRecord(t, repo, "s1", "{\"n\":1}\n"), checkpointtest.SessionRecord(t, repo, "s2", "{\"n\":2}\n")))
		checkOnDisk(t, r)
		content, err := records.NewReader(repo).SessionByID(t.Context(), checkpointtest.CpA, "s2")
		if err != nil || string(content.Transcript) != "{\"n\":2}\n" {
			t.Errorf("read %+v, %v", content, err)
		}
	}
}

func checkOnDisk(t *testing.T, r *testrepo.Repo) {
	t.Helper()
	want := `a3/b2c4d5e6f7/0/content_hash.txt
a3/b2c4d5e6f7/0/context.md
a3/b2c4d5e6f7/0/full.jsonl
a3/b2c4d5e6f7/0/metadata.json
a3/b2c4d5e6f7/0/prompt.txt
a3/b2c4d5e6f7/1/content_hash.txt
a3/b2c4d5e6f7/1/context.md
a3/b2c4d5e6f7/1/full.jsonl
a3/b2c4d5e6f7/1/metadata.json
a3/b2c4d5e6f7/1/prompt.txt
a3/b2c4d5e6f7/metadata.json`
	if got := r.Git("ls-tree", "-r", "--name-only", shadow.MetadataBranch); got != want {
		t.Errorf("tree:\n%s", got)
	}
	wantMessage := "Checkpoint: a3b2c4d5e6f7\n\nEntire-Session: s1\nEntire-Session: s2\nEntire-Strategy: manual-commit\n" +
		"Entire-Agent: Claude Code\nEphemeral-branch: entire/0123456-e3b0c4"
	if got := r.Git("log", "-1", "--format=%B", shadow.MetadataBranch); strings.TrimSpace(got) != wantMessage {
		t.Errorf("message:\n%s", got)
	}
	wantSummary := `{
  "cli_version": "dev",
  "checkpoint_id": "a3b2c4d5e6f7",
  "strategy": "manual-commit",
  "branch": "main",
  "checkpoints_count": 4,
  "files_touched": [
    "a.go",
    "b.go"
  ],
  "sessions": [
    {
      "metadata": "/a3/b2c4d5e6f7/0/metadata.json",
      "transcript": "/a3/b2c4d5e6f7/0/full.jsonl",
      "context": "/a3/b2c4d5e6f7/0/context.md",
      "content_hash": "/a3/b2c4d5e6f7/0/content_hash.txt",
      "prompt": "/a3/b2c4d5e6f7/0/prompt.txt"
    },
    {
      "metadata": "/a3/b2c4d5e6f7/1/metadata.json",
      "transcript": "/a3/b2c4d5e6f7/1/full.jsonl",
      "context": "/a3/b2c4d5e6f7/1/context.md",
      "content_hash": "/a3/b2c4d5e6f7/1/content_hash.txt",
      "prompt": "/a3/b2c4d5e6f7/1/prompt.txt"
    }
  ],
  "token_usage": {
    "input_tokens": 20,
    "cache_creation_tokens": 0,
    "cache_read_tokens": 0,
    "output_tokens": 0,
    "api_call_count": 0
  }
}
`
	if got := r.Git("cat-file", "blob", shadow.MetadataBranch+":a3/b2c4d5e6f7/metadata.json") + "\n"; got != wantSummary {
		t.Errorf("summary:\n%s", got)
	}
	wantSession := `{
  "cli_version": "dev",
  "checkpoint_id": "a3b2c4d5e6f7",
  "session_id": "s2",
  "strategy": "manual-commit",
  "created_at": "2026-02-09T12:00:00.123456789Z",
  "branch": "main",
  "checkpoints_count": 2,
  "files_touched": [
    "a.go",
    "b.go"
  ],
  "agent": "Claude Code",
  "checkpoint_transcript_start": 3,
  "transcript_lines_at_start": 3,
`
	if got := r.Git("cat-file", "blob", shadow.MetadataBranch+":a3/b2c4d5e6f7/1/metadata.json"); !strings.HasPrefix(got, wantSession) {
		t.Errorf("session:\n%s", got)
	}
	if got := r.Git("cat-file", "blob", shadow.MetadataBranch+":a3/b2c4d5e6f7/0/content_hash.txt"); got != chunk.HashOf([]byte("{\"n\":1}\n")) {
		t.Errorf("content hash %s", got)
	}
	r.Fsck()
}

func TestSessionKeepsItsSlot(t *testing.T) {
	t.Parallel()
	r := testrepo.New(t)
	repo := checkpointtest.Open(t, r)
	reader := records.NewReader(repo)
	checkpointtest.Write(t, repo, checkpointtest.Record(checkpointtest.CpA, checkpointtest.SessionRecord(t, repo, "s1", "one\n")))
	checkpointtest.Write(t, repo, checkpointtest.Record(checkpointtest.CpA, checkpointtest.SessionRecord(t, repo, "s2", "two\n")))

	// Again, with fields and files that only another tool knows.
	checkpointtest.Put(t, repo, checkpointtest.CpA.Path()+"/0/notes.txt", "kept")
	again := checkpointtest.SessionRecord(t, repo, "s1", strings.Repeat("line\n", chunk.Size/5+10))
	again.Metadata.FilesTouched = []string{"c.go"}
	again.Context = ""
	again.Extra = []git.Edit{{Path: "full.jsonl", Mode: git.ModeFile, OID: again.Transcript[0].OID}}
	checkpointtest.Write(t, repo, checkpointtest.Record(checkpointtest.CpA, again))

	c, err := reader.Read(t.Context(), checkpointtest.CpA)
	if err != nil || len(c.Sessions) != 2 || c.Sessions[0].Metadata.SessionID != "s1" || c.Sessions[1].Metadata.SessionID != "s2" {
		t.Fatalf("sessions %+v, %v", c.Sessions, err)
	}
	if want := []string{"a.go", "b.go", "c.go"}; !slices.Equal(c.Summary.FilesTouched, want) {
		t.Errorf("files %v", c.Summary.FilesTouched)
	}
	s1, err := reader.SessionByID(t.Context(), checkpointtest.CpA, "s1")
	if err != nil || s1.HashMismatch != nil || len(s1.Transcript) != 5*(chunk.Size/5+10) || s1.Context == "" {
		t.Errorf("s1: %d bytes, context %q, %v, %v", len(s1.Transcript), s1.Context, s1.HashMismatch, err)
	}
	if got := r.Git("cat-file", "blob", shadow.MetadataBranch+":a3/b2c4d5e6f7/0/notes.txt"); got != "kept" {
		t.Errorf("notes %q", got)
	}

	// A shorter transcript leaves no chunk of the longer one behind.
	checkpointtest.Write(t, repo, checkpointtest.Record(checkpointtest.CpA, checkpointtest.SessionRecord(t, repo, "s1", "short\n")))
	if s1, err = reader.Session(t.Context(), checkpointtest.CpA, 0); err != nil || string(s1.Transcript) != "short\n" || s1.HashMismatch != nil {
		t.Errorf("shorter: %q, %v, %v", s1.Transcript, s1.HashMismatch, err)
	}
	r.Fsck()
}

func TestUnknownFieldsSurvive(t *testing.T) {
	t.Parallel()
	repo := checkpointtest.Open(t, testrepo.New(t))
	checkpointtest.Write(t, repo, checkpointtest.Record(checkpointtest.CpA, checkpointtest.SessionRecord(t, repo, "s1", "one\n")))
	checkpointtest.Put(t, repo, checkpointtest.CpA.Path()+"/metadata.json", `{"checkpoint_id":"a3b2c4d5e6f7","migration_source_commit":"00ef","sessions":[{"metadata":"/a3/b2c4d5e6f7/0/metadata.json"}]}`)
	checkpointtest.Put(t, repo, checkpointtest.CpA.Path()+"/0/metadata.json", `{"session_id":"s1","x_more":{"a":[1, 2]},"summary":{"intent":"i","outcome":"","learnings":{},"friction":null,"open_items":null}}`)
	checkpointtest.Write(t, repo, checkpointtest.Record(checkpointtest.CpA, checkpointtest.SessionRecord(t, repo, "s1", "one\n"), checkpointtest.SessionRecord(t, repo, "s2", "two\n")))

	tree := shadow.MetadataRef + ":" + checkpointtest.CpA.Path()
	for path, want := range map[string]string{"/metadata.json": `"migration_source_commit":"00ef"`, "/0/metadata.json": `"x_more":{"a":[1,2]}`} {
		o, err := repo.Reader(t.Context()).Object(tree + path)
		if err != nil {
			t.Fatal(err)
		}
		var compact strings.Builder
		for _, f := range strings.Fields(string(o.Data)) {
			compact.WriteString(f)
		}
		if !strings.Contains(strings.ReplaceAll(compact.String(), `": `, `":`), want) {
			t.Errorf("%s lost %s: %s", path, want, o.Data)
		}
	}
	s1, err := records.NewReader(repo).SessionByID(t.Context(), checkpointtest.CpA, "s1")
	if err != nil || s1.Metadata.Summary == nil || s1.Metadata.Summary.Intent != "i" {
		t.Errorf("summary lost: %+v, %v", s1, err)
	}
}

// TestDamageIsNeverOverwritten writes beside documents nobody can read.
func TestDamageIsNeverOverwritten(t *testing.T) {
	t.Parallel()
	repo := checkpointtest.Open(t, testrepo.New(t))
	reader := records.NewReader(repo)
	checkpointtest.Write(t, repo, checkpointtest.Record(checkpointtest.CpA, checkpointtest.SessionRecord(t, repo, "s1", "one\n"), checkpointtest.SessionRecord(t, repo, "s2", "two\n")))
	checkpointtest.Put(t, repo, checkpointtest.CpA.Path()+"/metadata.json", "{torn")
	checkpointtest.Put(t, repo, checkpointtest.CpA.Path()+"/0/metadata.json", `{"session_id":"s1","checkpoint_id":"not hex"}`)

	c, err := reader.Read(t.Context(), checkpointtest.CpA)
	if err != nil || c.Err == nil || !strings.Contains(c.Err.Error(), checkpointtest.CpA.String()) || len(c.Sessions) != 2 || c.Summary.CheckpointsCount != 2 {
		t.Fatalf("read: %+v, %v", c, err)
	}
	broken, err := reader.Session(t.Context(), checkpointtest.CpA, 0)
	if err == nil || !strings.Contains(err.Error(), "session 0") || string(broken.Transcript) != "one\n" {
		t.Errorf("broken slot: %+v, %v", broken, err)
	}
	checkpointtest.Write(t, repo, checkpointtest.Record(checkpointtest.CpA, checkpointtest.SessionRecord(t, repo, "s3", "three\n")))
	if broken, _ = reader.Session(t.Context(), checkpointtest.CpA, 0); string(broken.Transcript) != "one\n" {
		t.Errorf("slot 0 is now %q", broken.Transcript)
	}
	for _, s := range []string{"s2", "s3"} {
		if got, err := reader.SessionByID(t.Context(), checkpointtest.CpA, s); err != nil || got.HashMismatch != nil {
			t.Errorf("%s: %v", s, err)
		}
	}
	if err := metadata.FinalizeTranscript(t.Context(), repo, metadata.Finalization{ID: checkpointtest.CpA, Session: "s1", Author: checkpointtest.Maker}); !errors.Is(err, metadata.ErrSessionNotFound) || !strings.Contains(err.Error(), "session 0") {
		t.Errorf("finalise an unreadable session: %v", err)
	}
}

func TestGapsAreKept(t *testing.T) {
	t.Parallel()
	repo := checkpointtest.Open(t, testrepo.New(t))
	checkpointtest.Write(t, repo, checkpointtest.Record(checkpointtest.CpA, checkpointtest.SessionRecord(t, repo, "s1", "one\n")))
	b := checkpointtest.CpA.Path()
	checkpointtest.Put(t, repo, b+"/2/metadata.json", `{"session_id":"s2"}`)
	checkpointtest.Put(t, repo, b+"/2/full.log", "two\n")
	checkpointtest.Put(t, repo, b+"/7/metadata.json", `{"session_id":"unlisted"}`)
	checkpointtest.Put(t, repo, b+"/metadata.json", `{"checkpoint_id":"a3b2c4d5e6f7","sessions":[{"metadata":"/`+b+`/0/metadata.json"},{"metadata":"/`+b+`/2/metadata.json"},
		{"metadata":"/`+b+`/4/metadata.json"}]}`)
	reader := records.NewReader(repo)
	for i, want := range []string{"one\n", "two\n"} {
		if c, err := reader.Session(t.Context(), checkpointtest.CpA, i); err != nil || string(c.Transcript) != want {
			t.Errorf("session %d: %+v, %v", i, c, err)
		}
	}
	if _, err := reader.Session(t.Context(), checkpointtest.CpA, 2); err == nil || !strings.Contains(err.Error(), "listed but missing") {
		t.Errorf("listed and gone: %v", err)
	}
	checkpointtest.Write(t, repo, checkpointtest.Record(checkpointtest.CpA, checkpointtest.SessionRecord(t, repo, "s3", "three\n")))
	o, err := repo.Reader(t.Context()).Object(shadow.MetadataRef + ":" + b + "/metadata.json")
	if err != nil {
		t.Fatal(err)
	}
	var sum metadata.CheckpointSummary
	if err := json.Unmarshal(o.Data, &sum); err != nil {
		t.Fatal(err)
	}
	var folders []string
	for _, s := range sum.Sessions {
		folders = append(folders, strings.TrimSuffix(strings.TrimPrefix(s.Metadata, "/"+b+"/"), "/metadata.json"))
	}
	if want := []string{"0", "2", "4", "7", "8"}; !slices.Equal(folders, want) {
		t.Errorf("folders %v, want %v", folders, want)
	}
}

func TestMissingChunksAndHashMismatch(t *testing.T) {
	t.Parallel()
	repo := checkpointtest.Open(t, testrepo.New(t))
	reader := records.NewReader(repo)
	long := strings.Repeat(strings.Repeat("x", 999)+"\n", 400)
	checkpointtest.Write(t, repo, checkpointtest.Record(checkpointtest.CpA, checkpointtest.SessionRecord(t, repo, "s1", long)))
	checkpointtest.Put(t, repo, checkpointtest.CpA.Path()+"/0/full.jsonl.001", "")
	var missing *chunk.MissingChunkError
	c, err := reader.Session(t.Context(), checkpointtest.CpA, 0)
	if !errors.As(err, &missing) || !slices.Equal(missing.Names, []string{"full.jsonl.001"}) || len(c.Transcript) < len(long)/2 {
		t.Fatalf("missing chunk: %v, %d bytes", err, len(c.Transcript))
	}
	checkpointtest.Put(t, repo, checkpointtest.CpA.Path()+"/0/full.jsonl.001", "other\n")
	c, err = reader.Session(t.Context(), checkpointtest.CpA, 0)
	if err != nil || c.HashMismatch == nil || c.HashMismatch.Stored != chunk.HashOf([]byte(long)) || len(c.Transcript) == 0 {
		t.Fatalf("mismatch: %+v, %v", c.HashMismatch, err)
	}
}

func TestFinalizeTranscript(t *testing.T) {
	t.Parallel()
	r := testrepo.New(t)
	repo := checkpointtest.Open(t, r)
	reader := records.NewReader(repo)
	checkpointtest.Write(t, repo, checkpointtest.Record(checkpointtest.CpA, checkpointtest.SessionRecord(t, repo, "s1", "one\n"), checkpointtest.SessionRecord(t, repo, "s2", "two\n")))
	before, err := reader.SessionByID(t.Context(), checkpointtest.CpA, "s1")
	if err != nil {
		t.Fatal(err)
	}
	more := checkpointtest.SessionRecord(t, repo, "s1", "one\nmore\n")
	fin := metadata.Finalization{ID: checkpointtest.CpA, Session: "s1", Transcript: more.Transcript, ContentHash: more.ContentHash, Prompts: "p", Context: "c", Author: checkpointtest.Maker}
	if err := metadata.FinalizeTranscript(t.Context(), repo, fin); err != nil {
		t.Fatal(err)
	}
	after, err := reader.SessionByID(t.Context(), checkpointtest.CpA, "s1")
	if err != nil || string(after.Transcript) != "one\nmore\n" || after.Prompts != "p" || after.Context != "c" || after.HashMismatch != nil {
		t.Errorf("after: %+v, %v", after, err)
	}
	if !reflect.DeepEqual(before.Metadata, after.Metadata) {
		t.Errorf("metadata changed: %+v", after.Metadata)
	}
	if got := r.Git("log", "-1", "--format=%B", shadow.MetadataBranch); strings.TrimSpace(got) != "Finalize transcript for Checkpoint: a3b2c4d5e6f7" {
		t.Errorf("message %q", got)
	}
	tip := r.Git("rev-parse", shadow.MetadataBranch)
	if err := metadata.FinalizeTranscript(t.Context(), repo, fin); err != nil || r.Git("rev-parse", shadow.MetadataBranch) != tip {
		t.Errorf("the same again: %v", err)
	}
	fin.Session = "s9"
	if err := metadata.FinalizeTranscript(t.Context(), repo, fin); !errors.Is(err, metadata.ErrSessionNotFound) {
		t.Errorf("unknown session: %v", err)
	}
	fin.ID = checkpointtest.CpB
	if err := metadata.FinalizeTranscript(t.Context(), repo, fin); !errors.Is(err, metadata.ErrCheckpointNotFound) {
		t.Errorf("unknown checkpoint: %v", err)
	}
	if s2, err := reader.SessionByID(t.Context(), checkpointtest.CpA, "s2"); err != nil || string(s2.Transcript) != "two\n" {
		t.Errorf("s2: %v", err)
	}
}

func TestEnsureMetadataBranch(t *testing.T) {
	t.Parallel()
	r := testrepo.New(t)
	repo := checkpointtest.Open(t, r)
	for range 2 {
		if err := metadata.EnsureMetadataBranch(t.Context(), repo); err != nil {
			t.Fatal(err)
		}
	}
	if got := r.Git("log", "--format=%s %T", shadow.MetadataBranch); got != "Initialize metadata branch "+repo.EmptyTree().String() {
		t.Errorf("branch: %s", got)
	}
	checkpointtest.Write(t, repo, checkpointtest.Record(checkpointtest.CpA, checkpointtest.SessionRecord(t, repo, "s1", "one\n")))

	// A clone starts from origin's branch, and reads it even before.
	clone := r.Clone()
	cloned := checkpointtest.Open(t, clone)
	if c, err := records.NewReader(cloned).SessionByID(t.Context(), checkpointtest.CpA, "s1"); err != nil || string(c.Transcript) != "one\n" {
		t.Errorf("read in a fresh clone: %v", err)
	}
	checkpointtest.Write(t, cloned, checkpointtest.Record(checkpointtest.CpB, checkpointtest.SessionRecord(t, cloned, "s2", "two\n")))
	if got, want := clone.Git("rev-parse", shadow.MetadataBranch+"^"), r.Git("rev-parse", shadow.MetadataBranch); got != want {
		t.Errorf("clone built on %s, want %s", got, want)
	}
	r.Fsck()
	clone.Fsck()
}

func TestUpdateMetadataWithOtherRefs(t *testing.T) {
	t.Parallel()
	r := testrepo.New(t)
	repo := checkpointtest.Open(t, r)
	head := git.MustOID(r.Head())
	r.Git("branch", "entire/0123456-e3b0c4")
	gone := []git.RefUpdate{{Name: "refs/heads/entire/0123456-e3b0c4", Old: head}}
	add := func(tip git.OID) (git.OID, error) {
		return metadata.BuildRecord(t.Context(), repo, tip, checkpointtest.Record(checkpointtest.CpA, checkpointtest.SessionRecord(t, repo, "s1", "one\n")))
	}
	if err := metadata.UpdateMetadata(t.Context(), repo, gone, add); err != nil {
		t.Fatal(err)
	}
	if _, ok, _ := repo.Ref(t.Context(), gone[0].Name); ok {
		t.Error("shadow ref is still there")
	}
	tip := r.Git("rev-parse", shadow.MetadataBranch)
	r.Git("branch", "entire/0123456-e3b0c4", "HEAD")
	r.Commit("moved")
	r.Git("branch", "-f", "entire/0123456-e3b0c4", "HEAD")
	if err := metadata.UpdateMetadata(t.Context(), repo, gone, add); !errors.Is(err, git.ErrRefMoved) {
		t.Errorf("shadow moved: %v", err)
	}
	if got := r.Git("rev-parse", shadow.MetadataBranch); got != tip {
		t.Error("the metadata branch moved alone")
	}
}
