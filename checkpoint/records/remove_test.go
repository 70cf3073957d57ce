package records_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"entire/checkpoint/internal/checkpointtest"
	"entire/checkpoint/records"
	"entire/checkpoint/shadow"
	"entire/id"
	"entire/internal/git"
	"entire/internal/testrepo"
)

// A removal is one commit in the form that other tools write, and takes only
// what is still as it was seen.
func TestRemoveCheckpoints(t *testing.T) {
	t.Parallel()
	tr := testrepo.New(t)
	repo := checkpointtest.Open(t, tr)
	third := id.MustCheckpointID("bbbbbbbbbbbb")
	for _, cp := range []id.CheckpointID{checkpointtest.CpA, checkpointtest.CpB, third} {
		checkpointtest.Write(t, repo, checkpointtest.Record(cp, checkpointtest.SessionRecord(t, repo, "one", "{}\n")))
	}
	all := []id.CheckpointID{checkpointtest.CpA, checkpointtest.CpB, third}
	seen, err := records.NewReader(repo).Local(t.Context(), all)
	if err != nil || len(seen) != 3 {
		t.Fatalf("seen %v, %v", seen, err)
	}
	delete(seen, third)
	checkpointtest.Write(t, repo, checkpointtest.Record(checkpointtest.CpB, checkpointtest.SessionRecord(t, repo, "two", "{}\n"))) // changed since
	parent := tr.Git("log", "-1", "--format=%ad %cd", "--date=raw", shadow.MetadataBranch)

	removed, err := records.RemoveCheckpoints(t.Context(), repo, seen)
	if err != nil || len(removed) != 1 || removed[0] != checkpointtest.CpA {
		t.Fatalf("removed %v, %v", removed, err)
	}
	got := tr.Git("log", "-1", "--format=%an <%ae>|%cn <%ce>|%B", shadow.MetadataBranch)
	if want := "Entire CLI <cli@entire.io>|Entire CLI <cli@entire.io>|Cleanup: removed 1 orphaned checkpoints"; got != want {
		t.Errorf("commit is %q, want %q", got, want)
	}
	if dates := tr.Git("log", "-1", "--format=%ad %cd", "--date=raw", shadow.MetadataBranch); dates != parent {
		t.Errorf("dated %s, its parent %s", dates, parent)
	}
	left, err := records.NewReader(repo).ListIDs(t.Context())
	if err != nil || len(left) != 2 || left[0] != checkpointtest.CpB || left[1] != third {
		t.Errorf("left %v, %v", left, err)
	}
	tr.Fsck()
}

func TestSharedCheckpoints(t *testing.T) {
	t.Parallel()
	tr := testrepo.New(t)
	repo := checkpointtest.Open(t, tr)
	checkpointtest.Write(t, repo, checkpointtest.Record(checkpointtest.CpA, checkpointtest.SessionRecord(t, repo, "one", "{}\n")))
	tr.Git("update-ref", "refs/remotes/fork/"+shadow.MetadataBranch, shadow.MetadataBranch)
	checkpointtest.Write(t, repo, checkpointtest.Record(checkpointtest.CpB, checkpointtest.SessionRecord(t, repo, "one", "{}\n")))
	shared, err := records.NewReader(repo).Shared(t.Context(), []id.CheckpointID{checkpointtest.CpA, checkpointtest.CpB})
	if err != nil || !shared[checkpointtest.CpA] || shared[checkpointtest.CpB] {
		t.Errorf("shared %v, %v", shared, err)
	}
}

// Whatever is damaged in one checkpoint is told, and the others are read.
func TestVerify(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name   string
		damage func(t *testing.T, tr *testrepo.Repo, repo *git.Repo)
		want   string // "" for nothing
	}{
		{"sound", func(*testing.T, *testrepo.Repo, *git.Repo) {}, ""},
		{"another hash", func(t *testing.T, tr *testrepo.Repo, repo *git.Repo) {
			checkpointtest.Put(t, repo, checkpointtest.CpA.Path()+"/0/content_hash.txt", "sha256:00")
		}, "but sha256:00 was stored"},
		{"a gap in the chunks", func(t *testing.T, tr *testrepo.Repo, repo *git.Repo) {
			checkpointtest.Put(t, repo, checkpointtest.CpA.Path()+"/0/full.jsonl.002", "{}")
		}, "full.jsonl.001 missing"},
		{"metadata that is no JSON", func(t *testing.T, tr *testrepo.Repo, repo *git.Repo) {
			checkpointtest.Put(t, repo, checkpointtest.CpA.Path()+"/0/metadata.json", "{")
		}, "decode session 0"},
		{"a lost object", func(t *testing.T, tr *testrepo.Repo, repo *git.Repo) {
			if err := os.Remove(loose(tr, shadow.MetadataBranch+":"+checkpointtest.CpA.Path()+"/0/full.jsonl")); err != nil {
				t.Fatal(err)
			}
		}, "full.jsonl missing"},
		{"a damaged object", func(t *testing.T, tr *testrepo.Repo, repo *git.Repo) {
			path := loose(tr, shadow.MetadataBranch+":"+checkpointtest.CpA.Path()+"/metadata.json")
			if err := errors.Join(os.Chmod(path, 0o644), os.WriteFile(path, []byte("rubbish"), 0o644)); err != nil {
				t.Fatal(err)
			}
		}, "damaged"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			tr := testrepo.New(t)
			repo := checkpointtest.Open(t, tr)
			checkpointtest.Write(t, repo, checkpointtest.Record(checkpointtest.CpA, checkpointtest.SessionRecord(t, repo, "one", "{\"only\":\"in A\"}\n")))
			checkpointtest.Write(t, repo, checkpointtest.Record(checkpointtest.CpB, checkpointtest.SessionRecord(t, repo, "two", "{}\n")))
			row.damage(t, tr, repo)
			var said []string
			done := 0
			reader := records.NewReader(checkpointtest.Open(t, tr))
			err := reader.Verify(t.Context(), []id.CheckpointID{checkpointtest.CpA, checkpointtest.CpB}, func(n int) { done = n }, func(cp id.CheckpointID, err error) {
				said = append(said, cp.String()+" "+err.Error())
			})
			if err != nil || done != 2 {
				t.Fatalf("%v, %d done", err, done)
			}
			if row.want == "" {
				if len(said) > 0 {
					t.Errorf("said %q", said)
				}
				return
			}
			if len(said) != 1 || !strings.HasPrefix(said[0], checkpointtest.CpA.String()) || !strings.Contains(said[0], row.want) {
				t.Errorf("said %q, want %q of %s only", said, row.want, checkpointtest.CpA)
			}
		})
	}
}

func loose(tr *testrepo.Repo, spec string) string {
	oid := tr.Git("rev-parse", spec)
	return tr.GitPath(filepath.Join("objects", oid[:2], oid[2:]))
}
