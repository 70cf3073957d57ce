package records_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"entire/checkpoint/internal/checkpointtest"
	"entire/checkpoint/metadata"
	"entire/checkpoint/records"
	"entire/id"
	"entire/internal/git"
	"entire/internal/testrepo"
)

// longShards stores n checkpoints in each of three shards at once.
func longShards(t *testing.T, r *testrepo.Repo, n int) (ids []id.CheckpointID) {
	t.Helper()
	repo := checkpointtest.Open(t, r)
	doc, err := repo.Writer().Blob([]byte(`{"session_id":"s1"}`))
	if err != nil {
		t.Fatal(err)
	}
	var edits []git.Edit
	for _, shard := range []string{"a0", "a1", "ff"} {
		for i := range n {
			cp := id.MustCheckpointID(fmt.Sprintf("%s%010x", shard, i))
			ids = append(ids, cp)
			edits = append(edits, git.Edit{Path: cp.Path() + "/0/metadata.json", Mode: git.ModeFile, OID: doc})
		}
	}
	put(t, repo, edits...)
	return ids
}

func put(t *testing.T, repo *git.Repo, edits ...git.Edit) {
	t.Helper()
	err := metadata.UpdateMetadata(t.Context(), repo, nil, func(tip git.OID) (git.OID, error) {
		return checkpointtest.CommitEdits(t, repo, tip, edits...), nil
	})
	if err != nil {
		t.Error(err)
	}
}

// list lists as a new process does, and returns the IDs.
func list(t *testing.T, r *testrepo.Repo, ids []id.CheckpointID) (found []id.CheckpointID) {
	t.Helper()
	listed, err := records.NewReader(checkpointtest.Open(t, r)).List(t.Context(), ids)
	if err != nil {
		t.Error(err)
	}
	for _, l := range listed {
		found = append(found, l.ID)
	}
	return found
}

func copyOf(r *testrepo.Repo, shard string) string {
	return filepath.Join(r.Dir, ".git/entire/shards", shard)
}

// isCurrent reports whether the copy of a shard is that of the branch as it is.
func isCurrent(t *testing.T, r *testrepo.Repo, shard string) bool {
	t.Helper()
	data, err := os.ReadFile(copyOf(r, shard))
	if err != nil {
		return false
	}
	repo := checkpointtest.Open(t, r)
	tree, err := repo.Reader(t.Context()).Object("refs/heads/entire/checkpoints/v1:" + shard)
	return err == nil && slices.Equal(tree.Data, data)
}

func TestShardsAreCopied(t *testing.T) {
	t.Parallel()
	r := testrepo.New(t)
	ids := longShards(t, r, 120)
	for _, when := range []string{"first", "with copies"} {
		if found := list(t, r, ids); !slices.Equal(found, ids) {
			t.Errorf("%s: %d of %d", when, len(found), len(ids))
		}
		for _, shard := range []string{"a0", "a1", "ff"} {
			if !isCurrent(t, r, shard) {
				t.Errorf("%s: %s is not copied", when, shard)
			}
		}
	}
	repo := checkpointtest.Open(t, r)
	rd := repo.Reader(t.Context())
	branch, _, err := rd.CommitOf("refs/heads/entire/checkpoints/v1")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := metadata.UseShardCopies(repo, rd, branch.Tree, ids); err != nil {
		t.Fatal(err)
	}
	entries, err := rd.Tree(branch.Tree)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if _, cached := rd.Cached(e.OID); e.Mode == git.ModeTree && !cached {
			t.Errorf("the copy of %s is not used", e.Name)
		}
	}
}

func TestFewCheckpointsAreNotCopied(t *testing.T) {
	t.Parallel()
	r := testrepo.New(t)
	ids := longShards(t, r, 20)
	if found := list(t, r, ids); len(found) != len(ids) {
		t.Errorf("%d of %d", len(found), len(ids))
	}
	if _, err := os.Lstat(filepath.Dir(copyOf(r, "a0"))); err == nil {
		t.Error("short shards are copied")
	}
}

func TestADamagedCopyDoesNotCount(t *testing.T) {
	t.Parallel()
	r := testrepo.New(t)
	ids := longShards(t, r, 120)
	list(t, r, ids)
	whole, err := os.ReadFile(copyOf(r, "a0"))
	if err != nil {
		t.Fatal(err)
	}
	flipped := slices.Clone(whole)
	flipped[len(flipped)-1] ^= 1
	for name, data := range map[string][]byte{"empty": {}, "cut short": whole[:len(whole)/2], "changed": flipped, "another": []byte("40000 x\x00")} {
		if err := os.WriteFile(copyOf(r, "a0"), data, 0o600); err != nil {
			t.Fatal(err)
		}
		if found := list(t, r, ids); !slices.Equal(found, ids) {
			t.Errorf("%s: %d of %d", name, len(found), len(ids))
		}
		if !isCurrent(t, r, "a0") {
			t.Errorf("%s: it stays", name)
		}
	}
	// A folder in place of a copy cannot be replaced, and is no error.
	if err := os.Remove(copyOf(r, "a0")); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(copyOf(r, "a0")+"/x", 0o700); err != nil {
		t.Fatal(err)
	}
	if found := list(t, r, ids); !slices.Equal(found, ids) {
		t.Errorf("with a folder: %d of %d", len(found), len(ids))
	}
}

// TestCopiesFollowTheBranch changes the branch in each way in which it moves.
func TestCopiesFollowTheBranch(t *testing.T) {
	t.Parallel()
	r := testrepo.New(t)
	ids := longShards(t, r, 120)
	list(t, r, ids)
	repo := checkpointtest.Open(t, r)
	fresh := id.MustCheckpointID("a0ffffffffff")
	checkpointtest.Write(t, repo, checkpointtest.Record(fresh, checkpointtest.SessionRecord(t, repo, "s2", "two\n")))
	ids = append(ids, fresh)
	if found := list(t, r, ids); !slices.Equal(found, ids) || !isCurrent(t, r, "a0") {
		t.Errorf("after a checkpoint: %d of %d", len(found), len(ids))
	}
	before := r.Git("rev-parse", "entire/checkpoints/v1")
	put(t, repo, git.Edit{Path: ids[0].Path()}, git.Edit{Path: ids[150].Path()})
	without := slices.DeleteFunc(slices.Clone(ids), func(cp id.CheckpointID) bool { return cp == ids[0] || cp == ids[150] })
	if found := list(t, r, ids); !slices.Equal(found, without) {
		t.Errorf("after two were removed: %d of %d", len(found), len(without))
	}
	r.Git("update-ref", "refs/heads/entire/checkpoints/v1", before) // as a fetch or a rewound branch
	if found := list(t, r, ids); !slices.Equal(found, ids) {
		t.Errorf("after the branch went back: %d of %d", len(found), len(ids))
	}
	r.Git("update-ref", "-d", "refs/heads/entire/checkpoints/v1")
	if found := list(t, r, ids); len(found) != 0 {
		t.Errorf("without the branch: %d", len(found))
	}
}

// TestCopiesBesideAWriter lists while checkpoints are written; a list has all that were there when it began.
func TestCopiesBesideAWriter(t *testing.T) {
	t.Parallel()
	r := testrepo.New(t)
	ids := longShards(t, r, 120)
	writer := checkpointtest.Open(t, r)
	var wg sync.WaitGroup
	written := make(chan id.CheckpointID, 6)
	wg.Go(func() {
		defer close(written)
		for i := range 6 {
			cp := id.MustCheckpointID(fmt.Sprintf("a1%010x", 1000+i))
			checkpointtest.Write(t, writer, checkpointtest.Record(cp, checkpointtest.SessionRecord(t, writer, "s2", "two\n")))
			written <- cp
		}
	})
	for cp := range written {
		ids = append(slices.Clone(ids), cp)
		for _, want := range [][]id.CheckpointID{ids, ids[100:]} {
			wg.Go(func() {
				if found := list(t, r, want); !slices.Equal(found, want) {
					t.Errorf("%d of %d", len(found), len(want))
				}
			})
		}
	}
	wg.Wait()
}
